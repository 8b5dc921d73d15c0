/**
 * The share of the requests and users of a load that belongs to one part of a run. Each part computes the times of the whole
 * load from the same random stream, and takes its own share. So the requests of all parts together have the same times as in a
 * single process.
 */
import type { Random } from '../../kernel/random.js';
import type { Instant } from '../../kernel/time.js';
import { arrivals } from '../../scenario/load/arrivals.js';
import type { PlannedLoad } from '../../scenario/model/plan.js';

/** Whether request or user `k` of the whole load belongs to this part. */
export function hasTurn({ turns }: Pick<PlannedLoad, 'turns'>, k: number): boolean {
  return turns === undefined || turns[k % turns.length] === true;
}

/**
 * The times of the requests of this part, ascending. @throws RangeError for a closed-loop load, whose times depend on the
 * responses
 */
export function* ownArrivals(load: PlannedLoad, random: Random): Generator<Instant, void> {
  let k = 0;
  for (const due of arrivals(load, random)) if (hasTurn(load, k++)) yield due;
}
