/**
 * When the requests of a load are due. The moments follow from the rate and the seed alone, never from how fast anything is
 * answered: that is what "open" means.
 *
 * A trace says itself when. A rate is summed up over time; whenever the sum passes the next mark, a request is due. Marks are one apart for even
 * spacing, and exponentially distributed for Poisson arrivals, which is what many people who know nothing of each other make.
 */
import { exponential, type Random } from '../../kernel/random.js';
import type { Instant } from '../../kernel/time.js';
import type { Load, RatePiece } from './load.js';

/** In order of time; ends with the last piece. @throws RangeError for users that wait */
export function* arrivals({ name, from, pace }: Load, random: Random): Generator<Instant, void> {
  if (pace.kind === 'replay') {
    for (const time of pace.trace.times) yield from + time;
    return;
  }
  if (pace.kind !== 'open') throw new RangeError(`the load "${name}" has no arrivals: its users wait for answers`);
  const draws = random.fork(`load/${name}`);
  const step = pace.spacing === 'even' ? () => 1 : () => exponential(draws);
  // An even load begins half a gap after its start, so that a rate over a time comes to exactly their product.
  let wanted = pace.spacing === 'even' ? 0.5 : step();
  for (const piece of pace.pieces) {
    const whole = requestsIn(piece);
    while (wanted < whole) {
      yield moment(piece, wanted);
      wanted += step();
    }
    wanted -= whole;
  }
}

/** The area below the rate. */
function requestsIn({ from, until, first, last }: RatePiece): number {
  return (((first + last) / 2) * (until - from)) / 1000;
}

/** When `count` requests of the piece have come. */
function moment({ from, until, first, last }: RatePiece, count: number): Instant {
  // A mark that falls on the border of two pieces; from no rate at all, the formula would be 0/0.
  if (count <= 0) return from;
  const growth = ((last - first) * 1000) / (until - from);
  // count = first·t + growth·t²/2, solved for t in seconds in the form that is stable when growth is small.
  const t = (2 * count) / (first + Math.sqrt(Math.max(0, first * first + 2 * growth * count)));
  // Microseconds are fine enough, and short in a trace.
  return Math.min(until, from + Math.round(t * 1e6) / 1e3);
}
