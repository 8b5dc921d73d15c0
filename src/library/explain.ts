/** For programs: explains why downlinks of a run took so long. */
import type { Explanation } from '../explain/explanation.js';
import type { RunExplainer } from '../explain/run-explainer.js';
import { didYouMean, quote } from '../input/problems.js';
import { UsageError } from '../kernel/errors.js';
import { type Millis, minutes } from '../kernel/time.js';
import type { RunResult } from '../report/result.js';
import { findDownlinkId } from '../runner/downlink-id.js';
import { getExplainer } from '../runner/explainers.js';

/**
 * Explains why a downlink took as long as it did. The explanation lists every exchange since the downlink was queued. It says
 * which exchanges failed and why, what the downlink waited for, and what would have delivered it sooner: to find this out, the
 * device of the downlink is repeated in virtual time without the causes.
 * @param result the object with which {@link run} resolved in this process; a copy or a file is rejected
 * @param downlink id of a downlink of a user, as in `downlinks.slowest`; its beginning or end is enough if no other id matches.
 * Or the name or serial number of a device, such as `cellar-0001`: its slowest downlink
 * @param limit in milliseconds: for a faster downlink, no cause is named. Default 600000, 10 min
 * @throws UsageError for an unknown or ambiguous id, for a device without downlinks, for an object that is not such a result, and for a run with more than
 * 300,000 events
 */
export async function explain(result: RunResult, downlink: string, limit: Millis = minutes(10)): Promise<Explanation> {
  const explainer = getExplainer(result);
  if (explainer === undefined) {
    throw new UsageError('no-history', 'explain needs the result of a run of this process, not a copy');
  }
  // Callers in JavaScript are not checked by the compiler.
  if (typeof downlink !== 'string' || downlink === '') {
    throw new UsageError(
      'no-downlink',
      'explain needs the id of a downlink, its beginning or end, or the name of a device',
    );
  }
  if (typeof limit !== 'number' || !(limit >= 0)) {
    throw new UsageError('bad-options', `limit: ${quote(String(limit))} is not a number of milliseconds`);
  }
  return downlinkOf(explainer, downlink, limit);
}

/** @throws UsageError if the id is unknown or ambiguous, or the run had too many events */
async function downlinkOf(explainer: RunExplainer, id: string, limit: Millis): Promise<Explanation> {
  if (explainer.overflowed) {
    throw new UsageError(
      'no-history',
      'the run had too many events to be kept in memory; run it with "out", and use "ghostfleet explain" on that directory',
    );
  }
  const known = explainer.findSlowestOf(id) ?? findDownlinkId(explainer.ids, id);
  const found = known === undefined ? undefined : await explainer.explainDownlink(known, limit);
  if (found !== undefined) return found;
  throw new UsageError(
    'unknown-downlink',
    `no downlink ${quote(id)}${didYouMean(id, explainer.ids)}, nor a device with downlinks`,
  );
}
