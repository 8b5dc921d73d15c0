/** The metrics of a run at this moment, in the text that Prometheus scrapes and its Pushgateway takes. */
import { exposition } from '../report/exposition.js';
import type { RunControl } from '../runner/run.js';
import type { Plan } from '../scenario/model/plan.js';
import { METRICS } from '../trace/metrics/index.js';

/** Every line is labelled with the scenario and the seed. */
export function runMetrics({ scenario, seed }: Plan, { metrics, clock }: RunControl): string {
  return exposition({
    metrics: METRICS,
    read: (name) => metrics.read(name),
    simulatedMs: clock.now,
    labels: { scenario, seed: String(seed) },
  });
}
