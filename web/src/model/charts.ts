/** What the charts of the space show. */
import type { History } from '../../../src/client/types.js';
import type { RunState } from '../../../src/control/run-state.js';
import { humanDuration } from '../../../src/kernel/time.js';
import { type Curve, curveOf, type FigureName } from './history.js';

export const HOUR = 3_600_000;

/** A chart of one or two figures. */
export interface ChartPlan {
  readonly title: string;
  readonly lines: readonly { readonly name: string; readonly figure: FigureName }[];
  readonly isTime?: true;
  /** Whether the values are whole numbers. */
  readonly isCount?: true;
}

export const CHARTS = {
  devices: { title: 'Devices on time', lines: [{ name: '', figure: 'devices_on_time' }], isCount: true },
  reports: { title: 'Reports a minute', lines: [{ name: '', figure: 'reports_per_minute' }] },
  waiting: { title: 'Downlinks waiting', lines: [{ name: '', figure: 'downlinks_waiting' }], isCount: true },
  delivery: {
    title: 'Delivery times, last hour',
    lines: [
      { name: 'half', figure: 'delivery_p50_seconds' },
      { name: '95 %', figure: 'delivery_p95_seconds' },
    ],
    isTime: true,
  },
} as const satisfies Readonly<Record<string, ChartPlan>>;

const EMPTY: Curve = { times: [], min: [], mean: [], max: [] };

/** The curves of a chart; those of delivery times in ms. */
export function linesOf({ lines, isTime }: ChartPlan, history: History | undefined) {
  return lines.map(({ name, figure }) => {
    const curve = history ? curveOf(history, figure) : EMPTY;
    return { name, curve: isTime ? inMs(curve) : curve };
  });
}

/** The curve of a time in seconds, in ms. */
export function inMs({ times, min, mean, max }: Curve): Curve {
  const each = (values: Curve['mean']) => values.map((value) => (value === null ? null : value * 1000));
  return { times, min: each(min), mean: each(mean), max: each(max) };
}

export function textOf({ isTime, isCount }: ChartPlan): (value: number) => string {
  if (isTime) return (ms) => humanDuration(ms < 10_000 ? ms : Math.round(ms / 1000) * 1000);
  // A bucket has the mean of some moments.
  const digits = (value: number) => (isCount || value >= 10 ? 0 : value >= 1 ? 1 : 2);
  return (value) => Number(value.toFixed(digits(value))).toLocaleString('en');
}

/** Start of the run in Unix ms; undefined without a run, and if its time is not that of its cloud. */
export function startOf(state: RunState | undefined): number | undefined {
  if (!state || (state.target !== null && state.speed !== 1)) return undefined;
  return Date.parse(state.now) - state.now_ms;
}

/** A time in which something is different, in Unix ms. */
export interface Band {
  readonly from: number;
  /** Null: until now. */
  readonly until: number | null;
  /** A moment that is chosen, drawn as a line. */
  readonly isMark?: true;
}

/** The faults of a run as bands. */
export function bandsOf(state: RunState | undefined): readonly Band[] {
  const start = startOf(state);
  if (start === undefined) return [];
  return (state?.faults ?? []).map(({ from, until }) => ({
    from: start + from,
    until: until === null ? null : start + until,
  }));
}

/**
 * The part of a band that a chart shows; undefined if it shows none of it, or if the band holds over the whole chart: then it
 * explains no change.
 * @param shown the times at the edges of the chart
 * @param isPart whether the chart shows only a part of its time
 */
export function shownPart(
  { from, until }: Band,
  [min, max]: readonly [number, number],
  isPart: boolean,
): readonly [from: number, until: number] | undefined {
  const [begin, end] = [Math.max(from, min), Math.min(until ?? max, max)];
  if (end <= begin || (begin === min && end === max && !isPart)) return undefined;
  return [begin, end];
}

/** The range of an axis that begins at 0. Small values fill it as well. @param isCount whether the values are whole numbers */
export function fromZero(most: number | null, isCount: boolean): [number, number] {
  const height = (most ?? 0) * 1.1;
  return [0, isCount ? Math.max(1, height) : height || 1];
}

const STEPS = 120;

/** How many faults were in force during the last hour. @param time since the start of the run, in ms */
export function faultCurve(faults: RunState['faults'], time: number): Curve {
  const times = Array.from(
    { length: STEPS + 1 },
    (_, n) => Math.max(0, time - HOUR) + (n * Math.min(time, HOUR)) / STEPS,
  );
  const values = times.map(
    (at) => faults.filter(({ from, until }) => from <= at && at < (until ?? Number.POSITIVE_INFINITY)).length,
  );
  return { times, min: values, mean: values, max: values };
}
