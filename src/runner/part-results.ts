/** The metrics of the parts of a run, for its report. */
import type { PartResult } from '../report/result.js';
import type { Plan } from '../scenario/model/plan.js';
import type { Metrics } from '../trace/metrics/index.js';

/** @returns undefined for a plan without parts */
export function readParts({ parts }: Plan, metrics: Metrics): readonly PartResult[] | undefined {
  return parts?.map(({ by, value, scope }) => {
    const measures = [...metrics.readAll(scope)];
    return {
      by,
      value,
      counts: Object.fromEntries(
        measures.flatMap(([name, measure]) => (measure.kind === 'count' ? [[name, measure.value]] : [])),
      ),
      durations: Object.fromEntries(
        measures.flatMap(([name, measure]) => {
          if (measure.kind === 'count') return [];
          const missing = Object.values(measure.missing).reduce((sum, count) => sum + count, 0);
          return [[name, { spread: measure.distribution.spread() ?? null, missing }]];
        }),
      ),
    };
  });
}
