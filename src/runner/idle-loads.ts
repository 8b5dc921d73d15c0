/**
 * Warnings about loads that sent no request, or carried out fewer iterations than they should. They are needed because
 * expectations such as `call.failed == 0` pass without any.
 */
import { humanCount } from '../kernel/quantity.js';
import type { Millis } from '../kernel/time.js';
import type { RunResult } from '../report/result.js';
import { listLabels } from '../scenario/load/ready.js';
import type { Plan } from '../scenario/model/plan.js';
import { NOT_BEGUN } from './load/requests.js';

/**
 * One sentence for each such load. Loads that the run did not last long enough for are left out.
 * @param ranFor duration of the run, in its own time
 */
export function findIdleLoads(
  { loads }: Pick<Plan, 'loads'>,
  calls: RunResult['calls'],
  ranFor: Millis,
): readonly string[] {
  return loads.flatMap((load) => {
    const { name, until, pace } = load;
    const own = listLabels(load).flatMap((label) => calls[label] ?? []);
    const sent = own.reduce((sum, one) => sum + one.sent, 0);
    const dropped = own.reduce((sum, one) => sum + one.dropped, 0);
    const reasons = Object.assign({}, ...own.map((one) => one.reasons));
    if (ranFor < until) return [];
    const missing = own.reduce((sum, one) => sum + (one.reasons[`dropped: ${NOT_BEGUN}`] ?? 0), 0);
    if (sent > 0 && missing > 0 && pace.kind === 'closed') {
      const [left, all] = [missing, pace.iterations ?? missing].map(humanCount);
      return [`load ${name} ended before ${left} of its ${all} iterations had begun`];
    }
    if (sent > 0) return [];
    const cause =
      dropped === 0 ? 'none was due' : `${humanCount(dropped)} were due (${Object.keys(reasons).join(', ')})`;
    return [`load ${name} sent no request: ${cause}`];
  });
}
