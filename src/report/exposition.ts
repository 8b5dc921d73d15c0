/**
 * Metrics of a run in Prometheus' text format (0.0.4), as they stand at the moment. Written out rather than kept in a client
 * library's registry: its summaries make their own quantiles of what they observe, and here the numbers exist already.
 */
import type { Measure, MetricInfo } from '../trace/metrics/metric.js';

export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

const QUANTILES = [0.5, 0.95, 0.99] as const;

interface Exposed {
  readonly metrics: readonly MetricInfo[];
  /** Of the metric with this name. */
  readonly read: (name: string) => Measure | undefined;
  readonly simulatedMs: number;
  /** `scenario="demo"`, put on every line. */
  readonly labels: Readonly<Record<string, string>>;
}

/** Durations become summaries in seconds, counts gauges: some, like pending downlinks, also fall. */
export function exposition({ metrics, read, simulatedMs, labels }: Exposed): string {
  const line = (name: string, value: number, more: Readonly<Record<string, string>> = {}) =>
    `${name}{${Object.entries({ ...labels, ...more })
      .map(([label, text]) => `${label}="${escaped(text)}"`)
      .join(',')}} ${value}`;
  const simulated = 'ghostfleet_run_simulated_seconds';
  const lines = [
    `# HELP ${simulated} simulated time so far`,
    `# TYPE ${simulated} gauge`,
    line(simulated, simulatedMs / 1000),
  ];
  for (const { name, about } of metrics) {
    const measure = read(name);
    if (measure === undefined) continue;
    const base = `ghostfleet_run_${name.replaceAll(/[^a-z0-9]/g, '_')}`;
    if (measure.kind === 'count') {
      lines.push(`# HELP ${base} ${about}`, `# TYPE ${base} gauge`, line(base, measure.value));
      continue;
    }
    const { distribution } = measure;
    const timed = `${base}_seconds`;
    lines.push(`# HELP ${timed} ${about}`, `# TYPE ${timed} summary`);
    for (const quantile of QUANTILES) {
      const value = distribution.percentile(quantile * 100);
      if (value !== undefined) lines.push(line(timed, value / 1000, { quantile: String(quantile) }));
    }
    lines.push(line(`${timed}_sum`, distribution.sum / 1000), line(`${timed}_count`, distribution.count));
  }
  return `${lines.join('\n')}\n`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
