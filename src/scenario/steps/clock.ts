import { type Check, complain, describeKey, formed, optional, record, refine } from '../../input/checks.js';
import { days, formatDuration, type Millis, parseDuration } from '../../kernel/time.js';
import { noEffect, type StepKind } from './step.js';

type ClockOptions = {
  /** New drift in parts per million; positive: the clock runs fast. null if it stays unchanged. */
  readonly drift: number | null;
  /** Time by which the clock jumps ahead; negative: back. null for no jump. */
  readonly skew: Millis | null;
};

const MOST_PPM = 100_000;
/** Limit within which the calendar of the firmware works, for any start time of a scenario. */
const MOST_SKEW = days(3650);

const DRIFT = /^([-+]?\d+(?:\.\d+)?) ?ppm$/;
/** For editors: a duration that is not 0, with a sign. */
const SKEW = /^[-+]?(?=.*[1-9])(\d+(\.\d+)?(ms|s|m|h|d))+$/;

/** `-20ppm` */
export const drift: Check<number> = formed(
  () => ({ type: 'string', pattern: DRIFT.source }),
  (node, problems) => {
    const [, digits] = node.kind === 'scalar' ? (DRIFT.exec(node.source) ?? []) : [];
    const ppm = Number(digits ?? Number.NaN);
    if (Math.abs(ppm) <= MOST_PPM) return ppm;
    return complain(node, problems, `a drift such as "120ppm" or "-20ppm", of ${MOST_PPM}ppm at most`);
  },
);

/** `-2h` */
export const skew: Check<Millis> = formed(
  () => ({ type: 'string', pattern: SKEW.source }),
  (node, problems) => {
    const [, sign, length = ''] = node.kind === 'scalar' ? (/^([-+]?)(.*)$/.exec(node.source) ?? []) : [];
    const by = parseDuration(length) ?? 0;
    if (by > 0 && by <= MOST_SKEW) return sign === '-' ? -by : by;
    return complain(node, problems, `a jump of a clock such as "2h" or "-90s", of ${MOST_SKEW / days(1)}d at most`);
  },
);

export const ABOUT_DRIFT = 'How fast (negative: slow) the clock runs.';

const shape = record('clock', {
  drift: optional(describeKey(ABOUT_DRIFT, '120ppm', drift), null),
  skew: optional(describeKey('How far the clock jumps ahead (negative: back).', '2h', skew), null),
});

/** Makes the clock of the device run fast or slow, or jump. A session or a timestamp corrects the time. */
export const clock: StepKind<ClockOptions> = {
  about:
    'makes the clock run fast (negative: slow) or jump ahead (negative: back); sessions and timestamps set the time',
  example: 'clock: { drift: 120ppm, skew: 2h }',
  check: refine(shape, (read, node, problems) =>
    read.drift === null && read.skew === null ? complain(node, problems, '"drift", "skew" or both') : read,
  ),
  describe: ({ drift: ppm, skew: by }) => {
    const drifting = ppm === null ? [] : [`${Math.abs(ppm)} ppm ${ppm < 0 ? 'slow' : 'fast'}`];
    const jump = by === null ? [] : [`${formatDuration(Math.abs(by))} ${by < 0 ? 'behind' : 'ahead'}`];
    return [...drifting, ...jump].join(', ');
  },
  actsOn: 'device',
  effect: noEffect,
  beforeStart: ({ drift: ppm }) => (ppm === null ? 0 : 'stays'),
  run: async (_world, { controls }, { drift: ppm, skew: by }) => {
    if (ppm !== null) controls.clock(ppm);
    if (by !== null) controls.skew(by);
  },
};
