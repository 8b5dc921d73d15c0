/** Refuses a run whose loads plan more requests a second than the limit of requests to its cloud (`--rate`). */
import { UsageError } from '../kernel/errors.js';
import type { Load, Pace, RatePiece } from '../scenario/load/load.js';
import type { Plan, PlannedLoad } from '../scenario/model/plan.js';
import { partsOf } from '../scenario/plan/divide.js';
import type { WorldOptions } from './world/options.js';

/** What decides how fast a run may send. */
interface Limited extends Pick<WorldOptions, 'plan' | 'cloud' | 'speed'> {
  /** Number of parts, among which the limit is divided. Default: 1 */
  readonly workers?: number | undefined;
}

/**
 * Loads with users and the run itself wait for the limit. Requests of a load with a rate are due at their times, so a lower limit
 * would change the load: the run would not measure what its scenario says.
 * @throws UsageError with the loads, their rate, the limit and the remedy
 */
export function checkRate({ plan, cloud, speed, workers = 1 }: Limited): void {
  const limit = cloud?.pace.perSecond ?? null;
  if (limit === null) return;
  const worst = partsOf(plan, workers)
    .map((part) => findPeak(part))
    .reduce((one, other) => (other.rate > one.rate ? other : one));
  const rate = worst.rate * speed;
  const own = limit / workers;
  if (rate <= own * (1 + ROUNDING)) return;
  const names = worst.loads.map((name) => `"${name}"`).join(', ');
  const who = worst.loads.length === 1 ? `the load ${names} plans` : `the loads ${names} together plan`;
  const share = workers === 1 ? '' : ` for one of ${workers} workers, each of which may send ${show(own)}/s`;
  const at = speed === 1 ? '' : ` at × ${speed}`;
  throw new UsageError(
    'rate-exceeded',
    `${who} up to ${show(rate)} requests/s${at}${share}, more than the limit of ${show(limit)}/s (--rate)`,
    `lower ${worst.loads.length === 1 ? 'its rate' : 'their rates'}, or use --rate ${show(rate * workers)} or more`,
  );
}

/** Of the sums of rates. */
const ROUNDING = 1e-9;

function show(rate: number): string {
  return String(Math.ceil(rate * 100 - ROUNDING) / 100);
}

interface Peak {
  readonly rate: number;
  readonly loads: readonly string[];
}

/** The highest planned rate of all loads together, in requests a second of the run. */
function findPeak({ loads }: Pick<Plan, 'loads'>): Peak {
  const planned = loads.map((load) => ({ load, share: shareOf(load) * countRequests(load), pieces: piecesOf(load) }));
  const changes = planned.flatMap(({ pieces }) => pieces.flatMap(({ from, until }) => [from, until]));
  // A rate changes linearly in between, so it is highest at the beginning or at the end of a piece.
  const peaks = changes.flatMap((at) =>
    (['before', 'after'] as const).map((side): Peak => {
      const rates = planned.flatMap(({ load, share, pieces }) => {
        const rate = share * Math.max(0, ...pieces.map((piece) => rateAt(piece, at, side)));
        return rate > 0 ? [{ name: load.name, rate }] : [];
      });
      return { rate: rates.reduce((sum, { rate }) => sum + rate, 0), loads: rates.map(({ name }) => name) };
    }),
  );
  return peaks.reduce((one, other) => (other.rate > one.rate ? other : one), { rate: 0, loads: [] });
}

function rateAt({ from, until, first, last }: RatePiece, at: number, side: 'before' | 'after'): number {
  const isIn = side === 'before' ? from < at && at <= until : from <= at && at < until;
  return isIn ? first + ((last - first) * (at - from)) / (until - from) : 0;
}

/** The share of a load that is of its part. */
function shareOf({ turns = [true] }: Pick<PlannedLoad, 'turns'>): number {
  return turns.filter((own) => own).length / turns.length;
}

/** Requests of each iteration: of its shortest chain, because which one is carried out is drawn. */
function countRequests({ call }: Load): number {
  return call.kind === 'chains' ? Math.min(...call.chains.map(({ requests }) => requests.length)) : 1;
}

/** The planned rate over time, on average for arrivals that are not at a rate. None for users, who plan nothing. */
function piecesOf({ from, until, pace }: Load): readonly RatePiece[] {
  if (pace.kind === 'closed') return [];
  if (pace.kind === 'open') return pace.pieces;
  const [count, end] = countArrivals(pace, from, until);
  const rate = (count * 1000) / (end - from);
  return end > from ? [{ from, until: end, first: rate, last: rate }] : [];
}

function countArrivals(
  pace: Exclude<Pace, { kind: 'open' | 'closed' }>,
  from: number,
  until: number,
): readonly [count: number, end: number] {
  return pace.kind === 'each' ? [pace.count, from + pace.over] : [pace.trace.times.length, until];
}
