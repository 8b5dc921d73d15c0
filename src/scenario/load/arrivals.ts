/**
 * The times at which the iterations of an open-loop load are due. A load is open-loop if these times depend only on the scenario
 * and the seed, and never on how fast the service answers.
 *
 * For a replay, the times are in a file. For a rate, the rate is integrated over time, and a request is due whenever the
 * integral reaches the next mark. The distance between marks is 1 for even spacing. For Poisson arrivals it is exponentially
 * distributed, as for many independent users.
 */
import { exponential, type Random } from '../../kernel/random.js';
import type { Instant } from '../../kernel/time.js';
import { countRows } from './data-rows.js';
import type { Load, RatePiece } from './load.js';

/** The times of a load, ascending. @throws RangeError for a closed-loop load, whose times depend on the answers */
export function* drawArrivals(load: Load, random: Random): Generator<Instant, void> {
  let left = countRows(load.data);
  for (const due of drawAll(load, random)) {
    if (left-- <= 0) return;
    yield due;
  }
}

function* drawAll({ name, from, pace }: Load, random: Random): Generator<Instant, void> {
  if (pace.kind === 'replay') {
    for (const time of pace.trace.times) yield from + time;
    return;
  }
  if (pace.kind === 'each') {
    for (let i = 0; i < pace.count; i++) yield from + Math.round((pace.over * i) / pace.count);
    return;
  }
  if (pace.kind !== 'open') throw new RangeError(`the load "${name}" has no arrivals: its users wait for answers`);
  const draws = random.fork(`load/${name}`);
  const step = pace.spacing === 'even' ? () => 1 : () => exponential(draws);
  // The first request of an even load is due half a gap after the start: a rate of 2/s for 10 s then gives exactly 20 requests.
  let wanted = pace.spacing === 'even' ? 0.5 : step();
  for (const piece of pace.pieces) {
    const whole = countRequests(piece);
    // A mark at the end is not in the piece, whatever the rounding of 3/3600 · 600.
    while (wanted < whole - ROUNDING) {
      yield findMoment(piece, wanted);
      wanted += step();
    }
    wanted -= whole;
  }
}

/** More than the error of the arithmetic, and of no consequence: a part of a gap between two requests. */
const ROUNDING = 1e-9;

/** Number of requests in a piece: the area below its rate. */
function countRequests({ from, until, first, last }: RatePiece): number {
  return (((first + last) / 2) * (until - from)) / 1000;
}

/** The time at which the integral of the rate over the piece reaches `count`. */
function findMoment({ from, until, first, last }: RatePiece, count: number): Instant {
  // The mark is at the beginning of the piece. If the rate there is 0, the formula below would be 0/0.
  if (count <= 0) return from;
  const growth = ((last - first) * 1000) / (until - from);
  // Solves count = first·t + growth·t²/2 for t in seconds. This form of the solution stays exact if `growth` is near 0.
  const t = (2 * count) / (first + Math.sqrt(Math.max(0, first * first + 2 * growth * count)));
  // Rounded to microseconds, which is exact enough and keeps the numbers in a trace short.
  return Math.min(until, from + Math.round(t * 1e6) / 1e3);
}
