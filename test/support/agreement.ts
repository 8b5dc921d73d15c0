/** The invariant that explanations and tables agree on the waits of every downlink, for the result of any run. */
import { findDisagreements } from '../../src/explain/agreement.js';
import type { RunResult } from '../../src/report/result.js';
import { getDownlinks, getExplainer } from '../../src/runner/explainers.js';

/** @param result of a run of this process, with at least one downlink */
export function waitDisagreements(result: RunResult): readonly string[] {
  const explainer = getExplainer(result);
  const records = [...(getDownlinks(result) ?? [])];
  if (records.length === 0) throw new Error('the run has no downlinks to compare');
  if (explainer === undefined) throw new Error('this is not the result of a run of this process');
  return records.flatMap((record) => {
    const explanation = explainer.divide(record.serial, record.id);
    return explanation === undefined ? [`${record.id} is not explained`] : findDisagreements(explanation, record);
  });
}
