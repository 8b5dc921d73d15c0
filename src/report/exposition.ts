/**
 * Metrics of a run, at one moment, as a registry of prom-client: for Prometheus to scrape, or for a push to its Pushgateway.
 */

import { Gauge, Registry, type Summary } from 'prom-client';
import type { Millis } from '../kernel/time.js';
import type { Distribution } from '../trace/distribution.js';
import type { Measure, MetricInfo } from '../trace/metrics/metric.js';

const QUANTILES = [0.5, 0.95, 0.99] as const;

interface Exposed {
  readonly metrics: readonly MetricInfo[];
  /** Reads the metric with this name; undefined if the run does not measure it. */
  readonly read: (name: string) => Measure | undefined;
  readonly simulatedMs: Millis;
  /** Labels of every value, such as `scenario="demo"`. */
  readonly labels: Readonly<Record<string, string>>;
}

/** Counts become gauges, because some of them also fall (pending downlinks); durations become summaries in seconds. */
export function makeRegistry({ metrics, read, simulatedMs, labels }: Exposed): Registry {
  const registry = new Registry();
  const gauge = (name: string, help: string, value: number): void =>
    new Gauge({ name, help, labelNames: Object.keys(labels), registers: [registry] }).set(labels, value);
  gauge('ghostfleet_run_simulated_seconds', 'simulated time so far', simulatedMs / 1000);
  for (const { name, about } of metrics) {
    const measure = read(name);
    if (measure === undefined) continue;
    const base = `ghostfleet_run_${name.replaceAll(/[^a-z0-9]/g, '_')}`;
    if (measure.kind === 'count') gauge(base, about, measure.value);
    else
      registry.registerMetric(
        makeSummary(`${base}_seconds`, about, measure.lasting?.() ?? measure.distribution, labels),
      );
  }
  return registry;
}

/** A summary of `distribution`: prom-client's `Summary` only estimates quantiles of what it observes. */
function makeSummary(name: string, help: string, distribution: Distribution, labels: Exposed['labels']): Summary {
  const quantiles = QUANTILES.flatMap((quantile) => {
    const value = distribution.findPercentile(quantile * 100);
    return value === undefined ? [] : { labels: { ...labels, quantile }, value: value / 1000 };
  });
  const values = [
    ...quantiles,
    { metricName: `${name}_sum`, labels, value: distribution.sum / 1000 },
    { metricName: `${name}_count`, labels, value: distribution.count },
  ];
  const metric = { name, get: async () => ({ name, help, type: 'summary', values }) };
  // The cast is safe because a registry uses only the name and `get` of a metric.
  return metric as unknown as Summary;
}
