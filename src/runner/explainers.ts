/** The explainers of the runs of this process. The result of a run is plain data and does not contain its events. */
import type { RunExplainer } from '../explain/run-explainer.js';
import type { RunResult } from '../report/result.js';

const EXPLAINERS = new WeakMap<RunResult, RunExplainer>();

export function keepExplainer(result: RunResult, explainer: RunExplainer): void {
  EXPLAINERS.set(result, explainer);
}

/** undefined for a result that is a copy, or of another process. */
export function explainerOf(result: RunResult): RunExplainer | undefined {
  return EXPLAINERS.get(result);
}
