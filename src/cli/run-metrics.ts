/** The metrics of a run at this moment, for Prometheus. */

import type { Registry } from 'prom-client';
import { sinceStart } from '../kernel/time.js';
import { makeRegistry } from '../report/exposition.js';
import type { RunControl } from '../runner/run.js';
import type { Plan } from '../scenario/model/plan.js';
import { METRICS } from '../trace/metrics/index.js';

/** Every value is labelled with the scenario and the seed. */
export function runMetrics({ scenario, seed }: Plan, { metrics, clock }: RunControl): Registry {
  return makeRegistry({
    metrics: METRICS,
    read: (name) => metrics.read(name),
    simulatedMs: sinceStart(clock.now),
    labels: { scenario, seed: String(seed) },
  });
}
