/**
 * The `network` of a scenario. Keys directly under it apply to all devices for the whole run; a fault can have a time, a
 * selector and a direction. Simultaneous faults add up.
 *
 *     network:
 *       latency: 150ms..900ms
 *       loss: 1%
 *       power-saving: off
 *       faults:
 *         - { outage: both, from: 2h, until: 2h20m, to: clime }
 *         - { loss: 1/10, from: 3h, until: 4h }
 */
import {
  type Check,
  complain,
  duration,
  eitherForm,
  type Form,
  formed,
  formOf,
  list,
  oneOf,
  optional,
  ratio,
  readVariant,
  record,
  refine,
  rejectUnknownKeys,
  valueAt,
  variantForm,
} from '../../input/checks.js';
import type { LocatedNode, Problems } from '../../input/document.js';
import { orList } from '../../input/problems.js';
import { type Millis, parseDuration, seconds } from '../../kernel/time.js';
import type { FaultSpec } from '../../transport/faults/index.js';
import type { ScenarioFault } from '../model/scenario.js';
import { TO } from '../selector/check.js';
import type { Selector } from '../selector/selector.js';
import { checkWindow, WINDOW } from './window.js';

interface NetworkShape {
  readonly selector: (to: string, node: LocatedNode) => Selector | undefined;
  /** Duration of the scenario. */
  readonly end: Millis;
}

/** How long a reordering delays a datagram by default. */
const DEFAULT_HOLD_BACK = seconds(2);

type FaultCheck = Check<Pick<ScenarioFault, 'fault' | 'way'>>;

/** `150ms..900ms`, or `200ms` for a latency that does not vary. */
const latencyRange: Check<FaultSpec> = formed(
  () => ({ type: ['string', 'integer'] }),
  (node, problems) => {
    const [first = '', last = first, ...more] = node.kind === 'scalar' ? node.source.split('..') : [];
    const min = parseDuration(first);
    const max = parseDuration(last);
    if (more.length > 0 || min === undefined || max === undefined || min > max) {
      return complain(node, problems, 'a latency such as "200ms" or "150ms..900ms"');
    }
    return { kind: 'latency', min, max };
  },
);

const REORDER = record('reorder', { ratio, by: optional(duration, DEFAULT_HOLD_BACK) });

/** `5%`, or `{ ratio: 5%, by: 3s }`. */
const reorder: Check<FaultSpec> = formed(
  () => eitherForm(formOf(ratio), formOf(REORDER)),
  (node, problems) => {
    if (node.kind !== 'map') {
      const read = ratio(node, problems);
      return read === undefined ? undefined : { kind: 'reorder', ratio: read, by: DEFAULT_HOLD_BACK };
    }
    const read = REORDER(node, problems);
    if (read === undefined || read.by > 0) return read && { kind: 'reorder', ...read };
    problems.add(valueAt(node, 'by'), 'a datagram cannot be held back by less than 1 ms');
    return undefined;
  },
);

const JITTER = record('jitter', { by: duration, shape: optional(oneOf(['even', 'bell', 'tail']), 'tail' as const) });

/** `300ms`, or `{ by: 300ms, shape: bell }`. */
const jitter: Check<FaultSpec> = formed(
  () => eitherForm(formOf(duration), formOf(JITTER)),
  (node, problems) => {
    if (node.kind === 'map') {
      const read = JITTER(node, problems);
      return read && { kind: 'jitter', ...read };
    }
    const by = duration(node, problems);
    return by === undefined ? undefined : { kind: 'jitter', by, shape: 'tail' };
  },
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

const both = (check: Check<FaultSpec>): FaultCheck => refine(check, (fault) => ({ fault, way: 'both' }));

const FAULTS: Readonly<Record<FaultSpec['kind'], FaultCheck>> = {
  latency: both(latencyRange),
  loss: both(refine(ratio, (share) => ({ kind: 'loss', ratio: share }))),
  corruption: both(refine(ratio, (share) => ({ kind: 'corruption', ratio: share }))),
  jitter: both(jitter),
  bandwidth: both(bandwidth),
  duplication: both(refine(ratio, (share) => ({ kind: 'duplication', ratio: share }))),
  reorder: both(reorder),
  outage: refine(oneOf(['both', 'up', 'down']), (way) => ({ fault: { kind: 'outage' }, way })),
};
/** A property of the network that devices notice, not a fault of the link: it becomes a step (parse/scenario.ts). */
const POWER_SAVING = 'power-saving';
const SAVING = oneOf(['on', 'off']);
const ALWAYS_KINDS = ['latency', 'jitter', 'bandwidth', 'loss', 'corruption', 'duplication', 'reorder'] as const;
// Because Object.keys forgets the keys' types.
export const WIRE_FAULT_NAMES = Object.keys(FAULTS) as readonly FaultSpec['kind'][];
const KEYS = [...ALWAYS_KINDS, POWER_SAVING, 'faults'];

/** JSON Schema of `network`, for editors. */
export function networkForm(): Form {
  const always = ALWAYS_KINDS.map((kind) => [kind, formOf(FAULTS[kind])]);
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(always),
      [POWER_SAVING]: formOf(SAVING),
      faults: { type: 'array', items: variantForm(COMMON, wireFaultForms()) },
    },
    additionalProperties: false,
  };
}

/** JSON Schema of the value after the name of each kind of fault, for editors. */
export function wireFaultForms(): Readonly<Record<string, Form>> {
  return Object.fromEntries(WIRE_FAULT_NAMES.map((kind) => [kind, formOf(FAULTS[kind])]));
}

/** Reads the value after the name of a kind of fault. */
export function wireFault(kind: FaultSpec['kind'], node: LocatedNode, problems: Problems) {
  return FAULTS[kind](node, problems);
}

/** Whether the network grants power saving mode: true unless `power-saving` is "off". */
export function savesPower(node: LocatedNode | undefined, problems: Problems): boolean {
  const value = node?.kind === 'map' ? node.entries.get(POWER_SAVING)?.value : undefined;
  return value === undefined || SAVING(value, problems) !== 'off';
}

export function network(
  node: LocatedNode,
  problems: Problems,
  shape: NetworkShape,
): readonly ScenarioFault[] | undefined {
  if (node.kind !== 'map') return complain(node, problems, `a map with ${orList(KEYS)}`);
  const before = problems.list.length;
  rejectUnknownKeys(node, KEYS, 'network', problems);
  const always = ALWAYS_KINDS.flatMap((kind) => {
    const value = node.entries.get(kind)?.value;
    const read = value && FAULTS[kind](value, problems);
    return read ? [{ ...read, from: 0, until: null, to: { kind: 'all' } as const }] : [];
  });
  const listed = node.entries.get('faults')?.value;
  const timed = listed && list((item, found) => timedFault(item, found, shape))(listed, problems);
  return problems.list.length === before ? [...always, ...(timed ?? [])] : undefined;
}

const COMMON = { ...WINDOW, ...TO };

function timedFault(node: LocatedNode, problems: Problems, { selector, end }: NetworkShape): ScenarioFault | undefined {
  if (node.kind !== 'map') return complain(node, problems, 'a fault: a map with a kind of fault, "from" and "until"');
  const { common, kind, options } = readVariant('a fault', COMMON, WIRE_FAULT_NAMES, node, problems);
  const read = kind && FAULTS[kind](options, problems);
  if (read === undefined || common === undefined) return undefined;
  const { from, until } = common;
  checkWindow({ from, until }, node, problems, end);
  const to = selector(common.to, valueAt(node, 'to'));
  return to && { ...read, from, until, to };
}
