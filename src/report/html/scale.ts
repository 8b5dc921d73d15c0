/** Scales: map values to positions on a plot, with ticks at round values. */
import type { Millis } from '../../kernel/time.js';

export interface Scale {
  /** Position of a value, 0 to 1 within the scale. */
  readonly place: (value: number) => number;
  /** Values with a label. */
  readonly ticks: readonly number[];
}

/** Linear scale from 0 to a round number that is `greatest` or more, with about four ticks. */
export function makeLinear(greatest: number): Scale {
  const step = roundUp(Math.max(greatest, 1e-9) / 4);
  const top = step * Math.max(1, Math.ceil(greatest / step - 1e-9));
  const count = Math.round(top / step);
  return {
    place: (value) => value / top,
    ticks: Array.from({ length: count + 1 }, (_, i) => Number((i * step).toPrecision(6))),
  };
}

/** Distances between ticks of a time axis, in ms. */
const TIME_STEPS: readonly Millis[] = [
  ...[0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000],
  ...[1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, 7200, 14_400, 43_200].map((minutes) => minutes * 60_000),
];

/** Scale from 0 to exactly `end`, with ticks at round times and at most `marks` intervals between them. */
export function makeTimeline(end: Millis, marks: number): Scale {
  const step = TIME_STEPS.find((candidate) => end / candidate <= marks) ?? end / marks;
  const ticks: number[] = [];
  for (let at = 0; at <= end + 1e-6; at += step) ticks.push(at);
  return { place: (value) => (end === 0 ? 0 : value / end), ticks };
}

/** Scale from 0 to a round duration that is `greatest` or more. */
export function makeDurations(greatest: Millis): Scale {
  const step = TIME_STEPS.find((candidate) => greatest / candidate <= 4) ?? roundUp(greatest / 4);
  const top = Math.max(step, Math.ceil(greatest / step - 1e-9) * step);
  return {
    place: (value) => value / top,
    ticks: Array.from({ length: Math.round(top / step) + 1 }, (_, i) => i * step),
  };
}

/** Ticks of the logarithmic scale, in ms: round durations such as 10 s, 1 min and 10 min. */
const FAR_STEPS: readonly Millis[] = [
  ...[0.001, 0.01, 0.1, 1, 10, 100, 1000, 10_000],
  ...[1, 10, 60, 360, 1440, 10_080, 43_200, 525_600].map((minutes) => minutes * 60_000),
];

/** Logarithmic scale from the last tick that is `least` or less to the first tick that is `greatest` or more. */
export function makeFarDurations(least: Millis, greatest: Millis): Scale {
  const first = Math.max(
    0,
    FAR_STEPS.findLastIndex((step) => step <= least),
  );
  const ticks = FAR_STEPS.slice(first, 1 + Math.max(first + 1, findEnd(greatest)));
  const [low = 1] = ticks;
  const span = logTen((ticks.at(-1) ?? 1) / low);
  return { place: (value) => Math.max(0, Math.min(1, logTen(value / low) / span)), ticks };
}

/** Index of the first of {@link FAR_STEPS} that is `greatest` or more; without such a step, index of the last one. */
function findEnd(greatest: Millis): number {
  const end = FAR_STEPS.findIndex((step) => step >= greatest);
  return end < 0 ? FAR_STEPS.length - 1 : end;
}

/** The smallest number that is `value` or more, and 1, 2 or 5 times a power of ten. */
function roundUp(value: number): number {
  let power = 1;
  while (power > value) power /= 10;
  while (power * 10 <= value) power *= 10;
  for (const factor of [1, 2, 5, 10]) if (factor * power >= value * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

/** Decimal logarithm to six places. `Math.log10` may differ between versions of Node, and the same run gives the same page. */
function logTen(value: number): number {
  if (!(value > 0)) return 0;
  let rest = value;
  let whole = 0;
  for (; rest >= 10; rest /= 10) whole++;
  for (; rest < 1; rest *= 10) whole--;
  let fraction = 0;
  for (let bit = 0.5; bit > 1e-7; bit /= 2) {
    rest *= rest;
    if (rest < 10) continue;
    rest /= 10;
    fraction += bit;
  }
  return whole + fraction;
}
