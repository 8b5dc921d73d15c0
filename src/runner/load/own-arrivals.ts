/**
 * The requests and users of a load that a part of a run has. All parts compute the times of the whole load, with the same draws, and
 * each takes its own. So the requests of all parts together have the times that those of one process would have.
 */
import type { Random } from '../../kernel/random.js';
import type { Instant } from '../../kernel/time.js';
import { arrivals } from '../../scenario/load/arrivals.js';
import type { PlannedLoad } from '../../scenario/model/plan.js';

/** Whether request or user `k` of the whole load belongs to this part. */
export function hasTurn({ turns }: Pick<PlannedLoad, 'turns'>, k: number): boolean {
  return turns === undefined || turns[k % turns.length] === true;
}

/** The times of the requests of this part, ascending. @throws RangeError for a closed load, whose times depend on the answers */
export function* ownArrivals(load: PlannedLoad, random: Random): Generator<Instant, void> {
  let k = 0;
  for (const due of arrivals(load, random)) if (hasTurn(load, k++)) yield due;
}
