/** What is known of the runs of this process besides their results, which are plain data without events. */
import type { RunExplainer } from '../explain/run-explainer.js';
import type { RunResult } from '../report/result.js';
import type { DownlinkRecord } from '../trace/downlinks/ledger.js';

interface Known {
  readonly explainer: RunExplainer;
  readonly downlinks: Iterable<DownlinkRecord>;
}

const KNOWN = new WeakMap<RunResult, Known>();

export function keepKnown(result: RunResult, known: Known): void {
  KNOWN.set(result, known);
}

/** undefined for a result that is a copy, or of another process. */
export function explainerOf(result: RunResult): RunExplainer | undefined {
  return KNOWN.get(result)?.explainer;
}

/** All downlinks of users, in the order of the queue; undefined for a result that is a copy, or of another process. */
export function downlinksOf(result: RunResult): Iterable<DownlinkRecord> | undefined {
  return KNOWN.get(result)?.downlinks;
}
