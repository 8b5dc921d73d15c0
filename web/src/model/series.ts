/** The reports of a device as curves: one for each quantity. Pure functions. */
import type { Message } from '../../../src/client/types.js';
import type { Curve } from './history.js';
import { CLOCK_ERROR, madeAt, type Point, quantitiesOf } from './values.js';

/** The values of a quantity over time. */
export interface Series {
  readonly name: string;
  readonly unit: string;
  /** Whether it is about the device itself. */
  readonly isOwn: boolean;
  /** With a gap, which is null, where values are missing. */
  readonly curve: Curve;
  /** The newest value of all reports, which may be older than the curve. */
  readonly last: Placed;
}

/** A pause this many times as long as usual is a gap. */
const GAP = 3.5;

type Report = Pick<Message, 'created_at' | 'body'>;

/** A value at a time by the clock of the service. */
interface Placed extends Omit<Point, 'at'> {
  /** Unix time in ms. */
  readonly at: number;
}

/**
 * The curves of all quantities in reports, in the order of the newest report.
 * @param reports newest first @param from first moment of the curves, in Unix ms
 */
export function seriesOf(reports: readonly Report[], from: number): readonly Series[] {
  const found = new Map<string, Omit<Series, 'curve'> & { readonly points: Map<number, Placed> }>();
  for (const report of reports) {
    const made = madeAt(report);
    for (const { name, unit, isOwn, points } of quantitiesOf(report.body)) {
      const timed = placed(points, made);
      const last = timed.at(-1);
      if (last === undefined) continue;
      const known = found.get(name) ?? { name, unit, isOwn, last, points: new Map<number, Placed>() };
      found.set(name, known);
      // A failed report is repeated in a later one, so the same window may arrive twice.
      for (const point of timed) if (point.at >= from) known.points.set(point.at, point);
    }
  }
  return [...found.values()].map(({ points, ...about }) => ({ ...about, curve: curveThrough([...points.values()]) }));
}

/** Gives each point a time by the clock of the service. */
function placed(points: readonly Point[], made: number): readonly Placed[] {
  const last = (points.at(-1)?.at ?? 0) * 1000;
  const error = Math.abs(made - last) > CLOCK_ERROR ? made - last : 0;
  return points.map((point) => ({ ...point, at: point.at === undefined ? made : point.at * 1000 + error }));
}

function curveThrough(points: readonly Placed[]): Curve {
  const sorted = [...points].sort((a, b) => a.at - b.at);
  const pauses = sorted.slice(1).map(({ at }, n) => at - (sorted[n]?.at ?? at));
  const usual = [...pauses].sort((a, b) => a - b)[Math.floor(pauses.length / 2)] ?? 0;
  const curve = {
    times: [] as number[],
    min: [] as (number | null)[],
    mean: [] as (number | null)[],
    max: [] as (number | null)[],
  };
  sorted.forEach(({ at, value, min, max }, n) => {
    const before = sorted[n - 1]?.at ?? at;
    if (at - before > GAP * usual) add(curve, before + usual, null, null, null);
    add(curve, at, min, value, max);
  });
  return curve;
}

interface Columns {
  readonly times: number[];
  readonly min: (number | null)[];
  readonly mean: (number | null)[];
  readonly max: (number | null)[];
}

function add(
  { times, min, mean, max }: Columns,
  at: number,
  ...[least, value, most]: readonly (number | null)[]
): void {
  times.push(at);
  min.push(least ?? null);
  mean.push(value ?? null);
  max.push(most ?? null);
}
