import {
  type Check,
  complain,
  describeKey,
  eitherForm,
  formOf,
  number,
  optional,
  record,
  refine,
  valueAt,
} from '../../input/checks.js';
import type { Dbm, Decibels } from '../../kernel/units.js';
import { BLOCKS, HINDERS, type StepEffect, type StepKind, stays } from './step.js';

type AntennaOptions = {
  /** Received power in dBm. */
  readonly rsrp: Dbm;
  /** null if it is derived from the received power. */
  readonly rsrq: Decibels | null;
  /** null if it is derived from the received power. */
  readonly snr: Decibels | null;
};

const shape = record('a signal', {
  rsrp: describeKey(
    'Power of the signal in dBm: weak below -115; below -130, devices find no network.',
    -121,
    number(),
  ),
  rsrq: optional(describeKey('Quality of the signal in dB.', -14, number()), null),
  snr: optional(describeKey('Signal-to-noise ratio in dB.', 2, number()), null),
});
/** The values that a modem can report (3GPP TS 36.133, 9.1.4 and 9.1.7). */
const RANGES = { rsrp: [-156, -44], rsrq: [-34, -3], snr: [-30, 40] } as const;
const KEYS = ['rsrp', 'rsrq', 'snr'] as const;

/** Below `NO_SERVICE`, a device finds no network, and below `GOOD`, its signal is weak (docs/FIDELITY.md). */
const NO_SERVICE: Dbm = -130;
const GOOD: Dbm = -115;

/** `{ rsrp: -121 }` */
export const signal: Check<AntennaOptions> = refine(shape, (read, node, problems) => {
  const before = problems.list.length;
  for (const key of KEYS) {
    const value = read[key];
    const [min, max] = RANGES[key];
    if (node.kind === 'map' && value !== null && (value < min || value > max)) {
      complain(valueAt(node, key), problems, `a number from ${min} to ${max}`);
    }
  }
  return problems.list.length === before ? read : undefined;
});

/** Changes the signal at the antenna: it affects the attach time, the loss of datagrams, and the values in reports. */
export const antenna: StepKind<AntennaOptions | 'free'> = {
  about:
    'sets the signal at the antenna; a weak one slows attaching and loses datagrams; "free" restores the radio model',
  example: 'antenna: { rsrp: -121 }',
  form: () => eitherForm({ const: 'free' }, formOf(signal)),
  check: (node, problems) => {
    if (node.kind === 'scalar' && node.value === 'free') return 'free';
    if (node.kind !== 'map') return complain(node, problems, '"free" or a signal such as { rsrp: -121 }');
    return signal(node, problems);
  },
  describe: (shown) => {
    if (shown === 'free') return shown;
    const rest = [shown.rsrq === null ? '' : `RSRQ ${shown.rsrq} dB`, shown.snr === null ? '' : `SNR ${shown.snr} dB`];
    return [`RSRP ${shown.rsrp} dBm`, ...rest.filter((part) => part !== '')].join(', ');
  },
  actsOn: 'network',
  effect: (shown) => (shown === 'free' ? undefined : findEffect(shown.rsrp)),
  beforeStart: stays,
  run: async (_world, device, shown) => {
    if (shown === 'free') return device.controls.signal(undefined);
    const { rsrp, rsrq, snr } = shown;
    device.controls.signal({ rsrp, ...(rsrq !== null && { rsrq }), ...(snr !== null && { snr }) });
  },
};

function findEffect(rsrp: Dbm): StepEffect | undefined {
  if (rsrp >= GOOD) return undefined;
  return rsrp < NO_SERVICE ? BLOCKS : { ...HINDERS, sign: 'weak-signal' };
}
