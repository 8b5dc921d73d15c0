/** Metrics in the form of OpenTelemetry: from the figures of a run, and from a registry for Prometheus. */
import { type Attributes, ValueType } from '@opentelemetry/api';
import { AggregationTemporality, DataPointType, type MetricData } from '@opentelemetry/sdk-metrics';
import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import { append } from '../kernel/append.js';
import type { UnixMillis } from '../kernel/time.js';
import type { Measure, MetricInfo } from '../trace/metrics/metric.js';
import { hrTime } from './spans.js';

/** The time since which counters count, and the present. */
export interface Period {
  readonly since: UnixMillis;
  readonly now: UnixMillis;
}

/** Upper bounds of the buckets for durations, in seconds: from API latencies to downlinks that wait for days. */
const BOUNDS = [
  ...[0.005, 0.02, 0.1, 0.5, 2, 10, 30, 60, 120, 300, 600, 900, 1200, 1800, 2700, 3600],
  ...[2 * 3600, 4 * 3600, 8 * 3600, 86_400, 7 * 86_400],
];

interface MeasuredPart {
  readonly measure: Measure;
  readonly attributes: Attributes;
}

/** Counts become gauges, because some of them also fall; durations become histograms in seconds. */
export function makeRunMetric(
  { name, about, shape }: MetricInfo,
  parts: readonly MeasuredPart[],
  period: Period,
): MetricData {
  const [startTime, endTime] = [hrTime(period.since), hrTime(period.now)];
  const descriptor = {
    ...{ name: `ghostfleet.run.${name}`, description: about },
    ...{ unit: shape === 'count' ? '' : 's', valueType: ValueType.DOUBLE },
  };
  if (shape === 'count') {
    return {
      ...{ descriptor, dataPointType: DataPointType.GAUGE, aggregationTemporality: AggregationTemporality.CUMULATIVE },
      dataPoints: parts.flatMap(({ measure, attributes }) =>
        measure.kind === 'count' ? [{ startTime, endTime, attributes, value: measure.value }] : [],
      ),
    };
  }
  return {
    ...{
      descriptor,
      dataPointType: DataPointType.HISTOGRAM,
      aggregationTemporality: AggregationTemporality.CUMULATIVE,
    },
    dataPoints: parts.flatMap(({ measure, attributes }) => {
      if (measure.kind === 'count') return [];
      const distribution = measure.lasting?.() ?? measure.distribution;
      const { count, sum, min, max } = distribution;
      const counts = [...distribution.countBuckets(BOUNDS.map((bound) => bound * 1000))];
      const spread = min === undefined || max === undefined ? {} : { min: min / 1000, max: max / 1000 };
      const value = { count, sum: sum / 1000, ...spread, buckets: { boundaries: BOUNDS, counts } };
      return [{ startTime, endTime, attributes, value }];
    }),
  };
}

/** The metrics of a registry, under their names there. Summaries are left out. */
export function makeMetrics(
  metrics: readonly MetricObjectWithValues<MetricValue<string>>[],
  period: Period,
): MetricData[] {
  return metrics.flatMap((metric) => makeMetric(metric, period) ?? []);
}

function makeMetric(
  { name, help, type, values }: MetricObjectWithValues<MetricValue<string>>,
  { since, now }: Period,
): MetricData | undefined {
  const [startTime, endTime] = [hrTime(since), hrTime(now)];
  const base = {
    descriptor: { name, description: help, unit: '', valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  const read = values.filter(({ value }) => Number.isFinite(value));
  const points = () => read.map(({ labels, value }) => ({ startTime, endTime, attributes: { ...labels }, value }));
  // The types of the client say that it is an enumeration of numbers; it is a word.
  switch (String(type)) {
    case 'gauge':
      return { ...base, dataPointType: DataPointType.GAUGE, dataPoints: points() };
    case 'counter':
      return { ...base, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: points() };
    case 'histogram':
      return {
        ...base,
        dataPointType: DataPointType.HISTOGRAM,
        dataPoints: [...groupByLabels(read)].map(([labels, series]) => ({
          ...{ startTime, endTime, attributes: JSON.parse(labels) },
          value: makeHistogram(name, series),
        })),
      };
    default:
      return undefined;
  }
}

/** A value of a histogram names its part. */
type Series = readonly (MetricValue<string> & { readonly metricName?: string })[];

/** The values of a histogram by their labels without `le`. */
function groupByLabels(values: Series): ReadonlyMap<string, Series> {
  const groups = new Map<string, MetricValue<string>[]>();
  for (const value of values) {
    const { le: _, ...labels } = value.labels;
    append(groups, JSON.stringify(labels), value);
  }
  return groups;
}

/** Prometheus counts in a bucket also what is in the buckets below it; OpenTelemetry does not. */
function makeHistogram(name: string, series: Series) {
  const find = (part: string) => series.find(({ metricName }) => metricName === `${name}_${part}`)?.value ?? 0;
  const buckets = series.filter(({ metricName }) => metricName === `${name}_bucket`);
  const counts = buckets.map(({ value }, i) => value - (buckets[i - 1]?.value ?? 0));
  const boundaries = buckets.flatMap(({ labels }) => (labels.le === '+Inf' ? [] : Number(labels.le)));
  return { count: find('count'), sum: find('sum'), buckets: { boundaries, counts } };
}
