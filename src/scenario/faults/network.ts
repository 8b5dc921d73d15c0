/**
 * Faults of the network as plain data. The files in transport/faults/ execute them. To add a fault, describe it here and
 * implement it there.
 */
import {
  type Check,
  complain,
  duration,
  durationRange,
  formed,
  oneOf,
  optional,
  ratio,
  record,
  refine,
  shortOrMap,
  valueAt,
} from '../../input/checks.js';
import { formatRatio } from '../../kernel/ratio.js';
import { formatDuration, seconds } from '../../kernel/time.js';
import type { Way } from '../../transport/faults/fault.js';
import type { FaultSpec } from '../../transport/faults/index.js';

/** A fault of the network with its direction, seen from the device. */
interface NetworkFault {
  readonly fault: FaultSpec;
  readonly way: Way | 'both';
}

/** Default of the longest time by which `reorder` delays a datagram. */
const DEFAULT_HOLD_BACK = seconds(2);

/** `150ms..900ms`, or `200ms` for a latency that does not vary. */
const latencyRange = refine(
  durationRange('a latency such as "200ms" or "150ms..900ms"'),
  ([min, max]): FaultSpec => ({ kind: 'latency', min, max }),
);

const REORDER = record('reorder', { ratio, by: optional(duration, DEFAULT_HOLD_BACK) });

/** `5%`, or `{ ratio: 5%, by: 3s }`. */
const reorder = shortOrMap<FaultSpec>(
  refine(ratio, (share) => ({ kind: 'reorder', ratio: share, by: DEFAULT_HOLD_BACK })),
  refine(REORDER, (options, node, problems) => {
    if (options.by > 0) return { kind: 'reorder', ...options };
    problems.add(valueAt(node, 'by'), 'a datagram cannot be held back by less than 1 ms');
    return undefined;
  }),
);

const JITTER = record('jitter', { by: duration, shape: optional(oneOf(['even', 'bell', 'tail']), 'tail' as const) });

/** `300ms`, or `{ by: 300ms, shape: bell }`. */
const jitter = shortOrMap<FaultSpec>(
  refine(duration, (by) => ({ kind: 'jitter', by, shape: 'tail' })),
  refine(JITTER, (options) => ({ kind: 'jitter', ...options })),
);

const BANDWIDTH = /^(\d+(?:\.\d+)?) ?(k|M)?bit\/s$/;
const FACTORS: Readonly<Record<string, number>> = { k: 1000, M: 1_000_000 };

const bandwidth: Check<FaultSpec> = formed(
  () => ({ type: 'string', pattern: BANDWIDTH.source }),
  (node, problems) => {
    const [, digits, factor = ''] = (node.kind === 'scalar' && BANDWIDTH.exec(node.source.trim())) || [];
    const bitsPerSecond = Number(digits) * (FACTORS[factor] ?? 1);
    if (digits !== undefined && bitsPerSecond >= 1) return { kind: 'bandwidth', bitsPerSecond };
    return complain(node, problems, 'a bandwidth such as "600bit/s", "25kbit/s" or "1Mbit/s"');
  },
);

const both = (check: Check<FaultSpec>): Check<NetworkFault> => refine(check, (fault) => ({ fault, way: 'both' }));

interface NetworkFaultKind<S extends FaultSpec> {
  /** One line for `ghostfleet list faults`. */
  readonly about: string;
  readonly example: string;
  readonly check: Check<NetworkFault>;
  /** `loss 10%` */
  readonly describe: (fault: S) => string;
}

export const NETWORK_FAULTS: {
  readonly [K in FaultSpec['kind']]: NetworkFaultKind<Extract<FaultSpec, { readonly kind: K }>>;
} = {
  latency: {
    about: 'delays each datagram by a random time from a range',
    example: 'latency: 150ms..900ms',
    check: both(latencyRange),
    describe: ({ min, max }) => `latency ${formatDuration(min)} to ${formatDuration(max)}`,
  },
  loss: {
    about: 'loses a datagram with a probability',
    example: 'loss: 5%',
    check: both(refine(ratio, (share) => ({ kind: 'loss', ratio: share }))),
    describe: (fault) => `loss ${formatRatio(fault.ratio)}`,
  },
  corruption: {
    about: 'flips one bit of a datagram with a probability; transports with a checksum (HTTP) lose it',
    example: 'corruption: 1/200',
    check: both(refine(ratio, (share) => ({ kind: 'corruption', ratio: share }))),
    describe: (fault) => `corruption ${formatRatio(fault.ratio)}`,
  },
  jitter: {
    about:
      'delays each datagram by a random extra time: even, bell (mostly about half) or tail (mostly short, sometimes long)',
    example: 'jitter: { by: 300ms, shape: bell }',
    check: both(jitter),
    describe: ({ by, shape }) => `jitter ${formatDuration(by)}, ${shape}`,
  },
  bandwidth: {
    about: 'limits the bits per second of each device and direction; datagrams queue up',
    example: 'bandwidth: 25kbit/s',
    check: both(bandwidth),
    describe: ({ bitsPerSecond }) => `bandwidth ${bitsPerSecond} bit/s`,
  },
  duplication: {
    about: 'delivers a datagram twice with a probability',
    example: 'duplication: 1%',
    check: both(refine(ratio, (share) => ({ kind: 'duplication', ratio: share }))),
    describe: (fault) => `duplication ${formatRatio(fault.ratio)}`,
  },
  reorder: {
    about: 'delays a datagram with a probability, so that later ones overtake it',
    example: 'reorder: { ratio: 5%, by: 3s }',
    check: both(reorder),
    describe: (fault) => `reorder ${formatRatio(fault.ratio)}, held back by up to ${formatDuration(fault.by)}`,
  },
  outage: {
    about: 'loses all datagrams',
    example: 'outage: both',
    check: refine(oneOf(['both', 'up', 'down']), (way) => ({ fault: { kind: 'outage' }, way })),
    describe: () => 'outage',
  },
};

// The cast is needed because `Object.keys` returns `string[]`.
export const NETWORK_FAULT_NAMES = Object.keys(NETWORK_FAULTS) as readonly FaultSpec['kind'][];

/** `loss 10%` */
export function describeFaultSpec(fault: FaultSpec): string {
  return (NETWORK_FAULTS[fault.kind] as NetworkFaultKind<FaultSpec>).describe(fault);
}
