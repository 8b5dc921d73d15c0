/** A part's share of a load: each part draws the whole load from the same stream, so all parts together have its times. */
import type { Random } from '../../kernel/random.js';
import type { Instant } from '../../kernel/time.js';
import { drawArrivals } from '../../scenario/load/arrivals.js';
import type { PlannedLoad } from '../../scenario/model/plan.js';

/** Whether iteration or user `k` of the whole load belongs to this part. */
export function hasTurn({ turns }: Pick<PlannedLoad, 'turns'>, k: number): boolean {
  return turns === undefined || turns[k % turns.length] === true;
}

export interface Arrival {
  /** Number of the iteration in the whole load, from 0. */
  readonly k: number;
  readonly due: Instant;
}

/** This part's iterations, ascending. @throws RangeError for a closed-loop load, which waits for responses */
export function* drawOwnArrivals(load: PlannedLoad, random: Random): Generator<Arrival, void> {
  let k = 0;
  for (const due of drawArrivals(load, random)) {
    if (hasTurn(load, k)) yield { k, due };
    k++;
  }
}
