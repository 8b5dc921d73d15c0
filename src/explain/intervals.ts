/** The intervals of a device, and how configurations change them. */
import type { Instant } from '../kernel/time.js';
import type { DeviceFacts } from './facts.js';
import type { FleetPart, Intervals } from './situation.js';

interface IntervalChange extends Partial<Intervals> {
  readonly at: Instant;
}

/** The intervals at the first boot and those that configurations set in the trace, in order. */
function intervalChanges({ part, downlinks, settings }: DeviceFacts): readonly IntervalChange[] {
  const initial = { at: 0, reportEvery: part?.reportEvery ?? null, pollEvery: part === undefined ? 0 : part.pollEvery };
  const later = downlinks.flatMap(({ id, reached: { executed, answered } }) => {
    const setting = settings.get(id);
    // A recording does not show the execution of a configuration, so the time of its answer is used.
    const at = executed ?? answered;
    return setting === undefined || at === undefined ? [] : [{ ...setting, at }];
  });
  return [initial, ...later.sort((a, b) => a.at - b.at)];
}

/** The group of the device with the intervals at `at`; undefined if it is not known. */
export function partAt(facts: DeviceFacts, at: Instant): FleetPart | undefined {
  if (facts.part === undefined) return undefined;
  let part = facts.part;
  for (const { at: since, reportEvery, pollEvery } of intervalChanges(facts)) {
    if (since > at) break;
    part = {
      ...part,
      ...(reportEvery !== undefined && { reportEvery }),
      ...(pollEvery !== undefined && { pollEvery }),
    };
  }
  return part;
}
