/** A warning about loads that sent no request. It is needed because expectations such as `call.failed == 0` pass without any. */
import { humanCount } from '../kernel/quantity.js';
import type { Millis } from '../kernel/time.js';
import type { RunResult } from '../report/result.js';
import { listLabels } from '../scenario/load/ready.js';
import type { Plan } from '../scenario/model/plan.js';

/**
 * One sentence for each load without a sent request. Loads that the run did not last long enough for are left out.
 * @param ranFor duration of the run, in its own time
 */
export function findIdleLoads(
  { loads }: Pick<Plan, 'loads'>,
  calls: RunResult['calls'],
  ranFor: Millis,
): readonly string[] {
  return loads.flatMap((load) => {
    const { name, until } = load;
    const own = listLabels(load).flatMap((label) => calls[label] ?? []);
    const sent = own.reduce((sum, one) => sum + one.sent, 0);
    const dropped = own.reduce((sum, one) => sum + one.dropped, 0);
    const reasons = Object.assign({}, ...own.map((one) => one.reasons));
    if (sent > 0 || ranFor < until) return [];
    const cause =
      dropped === 0 ? 'none was due' : `${humanCount(dropped)} were due (${Object.keys(reasons).join(', ')})`;
    return [`load ${name} sent no request: ${cause}`];
  });
}
