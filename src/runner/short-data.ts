/** Warnings about loads that end early because each row of their data is used once, as far as the plan shows it. */
import { countOf, humanCount } from '../kernel/quantity.js';
import { seededRandom } from '../kernel/random.js';
import { exactDuration } from '../kernel/time.js';
import { drawArrivals } from '../scenario/load/arrivals.js';
import { countRows } from '../scenario/load/data-rows.js';
import type { Plan } from '../scenario/model/plan.js';

/** One sentence for each such load. Users without a number of iterations are left out: only the run shows how many they begin. */
export function listShortData({ loads, seed }: Pick<Plan, 'loads' | 'seed'>): readonly string[] {
  return loads.flatMap((load) => {
    const { data, ...endless } = load;
    const { name, pace, from, until } = load;
    const rows = countRows(data);
    if (!Number.isFinite(rows)) return [];
    const why = `its data have ${countOf(rows, 'row')}`;
    if (pace.kind === 'closed') {
      if (pace.iterations === undefined || pace.iterations <= rows) return [];
      return [`load ${name} ends after ${humanCount(rows)} of its ${humanCount(pace.iterations)} iterations: ${why}`];
    }
    let last = from;
    let count = 0;
    for (const due of drawArrivals(endless, seededRandom(seed))) {
      if (count++ === rows)
        return [`load ${name} ends after ${exactDuration(last - from)} of ${exactDuration(until - from)}: ${why}`];
      last = due;
    }
    return [];
  });
}
