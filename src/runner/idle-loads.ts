/**
 * Warnings about loads that sent no request, left some out, or carried out fewer iterations than they should. They are needed
 * because expectations such as `call.failed == 0` pass without any.
 */
import { countOf, humanCount } from '../kernel/quantity.js';
import { exactDuration, humanDuration, type Millis } from '../kernel/time.js';
import type { RunResult } from '../report/result.js';
import { countRows } from '../scenario/load/data-rows.js';
import { listLabels } from '../scenario/load/ready.js';
import type { Plan, PlannedLoad } from '../scenario/model/plan.js';
import { HELD, NOT_BEGUN, OVER, UNSENT } from './load/requests.js';

/**
 * One sentence for each such load. Loads that the run did not last long enough for are left out.
 * @param ranFor duration of the run, in its own time
 */
export function findIdleLoads(
  { loads }: Pick<Plan, 'loads'>,
  { calls, iterations }: Pick<RunResult, 'calls' | 'iterations'>,
  ranFor: Millis,
): readonly string[] {
  return loads.flatMap((load) => {
    const { name, until, pace } = load;
    const own = listLabels(load).flatMap((label) => calls[label] ?? []);
    const sent = own.reduce((sum, one) => sum + one.sent, 0);
    const dropped = own.reduce((sum, one) => sum + one.dropped, 0);
    const begun = iterations?.[name]?.planned ?? calls[name]?.planned;
    const reasons = Object.assign({}, ...own.map((one) => one.reasons));
    if (ranFor < until) return [];
    const missing = own.reduce((sum, one) => sum + (one.reasons[`dropped: ${NOT_BEGUN}`] ?? 0), 0);
    if (sent > 0 && missing > 0 && pace.kind === 'closed') {
      const [left, all] = [missing, pace.iterations ?? missing].map(humanCount);
      return [`load ${name} ended before ${left} of its ${all} iterations had begun`];
    }
    if (sent > 0) return [...describeUnsent(name, own), ...describeShort(load, begun)];
    const cause =
      dropped === 0 ? 'none was due' : `${humanCount(dropped)} were due (${Object.keys(reasons).join(', ')})`;
    return [`load ${name} sent no request: ${cause}`];
  });
}

/** For users who have used each row of their data; the plan shows it for other loads (short-data.ts). */
function describeShort({ name, pace, from, until, data }: PlannedLoad, begun = 0): readonly string[] {
  const rows = countRows(data);
  if (pace.kind !== 'closed' || pace.iterations !== undefined || begun < rows) return [];
  return [
    `load ${name} ended before its ${exactDuration(until - from)} were over: its data have ${countOf(rows, 'row')}`,
  ];
}

/** For requests that could not be made, such as for a value that is null. The run says elsewhere if it had no time or connection. */
function describeUnsent(name: string, own: readonly RunResult['calls'][string][]): readonly string[] {
  const usual = [OVER, NOT_BEGUN, HELD, ...UNSENT].map((why) => `dropped: ${why}`);
  const counts = own.flatMap(({ reasons }) => Object.entries(reasons));
  const unmade = counts.filter(([why]) => why.startsWith('dropped: ') && !usual.includes(why));
  if (unmade.length === 0) return [];
  const all = unmade.reduce((sum, [, count]) => sum + count, 0);
  const whys = new Set(unmade.map(([why]) => why.slice('dropped: '.length)));
  return [`load ${name} did not send ${countOf(all, 'request')}: ${[...whys].join('; ')}`];
}

/** One sentence for each load of which the limit of requests a second held back some. */
export function warnOfHeld({ loads }: Pick<Plan, 'loads'>, calls: RunResult['calls']): readonly string[] {
  return loads.flatMap((load) => {
    const own = listLabels(load).flatMap((label) => calls[label] ?? []);
    const held = own.flatMap((one) => one.held ?? []);
    const count = held.reduce((sum, one) => sum + one.count, 0);
    const longest = Math.max(...held.map((one) => one.longest));
    const unsent = own.reduce((sum, { reasons }) => sum + (reasons[`dropped: ${HELD}`] ?? 0), 0);
    if (count + unsent === 0) return [];
    const parts = [
      ...(count === 0
        ? []
        : [`${countOf(count, 'request')} by up to ${humanDuration(longest)}, which no latency contains`]),
      ...(unsent === 0 ? [] : [`${countOf(unsent, 'request')} until the end`]),
    ];
    return [`the limit of requests a second (--rate) held back the load ${load.name}: ${parts.join('; ')}`];
  });
}
