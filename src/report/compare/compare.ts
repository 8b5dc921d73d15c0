/**
 * Compares two runs, number by number. A number is different only when its interval excludes a ratio of 1 and the change is
 * more than 5 %: neither chance nor an irrelevant change may be reported.
 */
import { humanChange, humanValue, type Unit } from '../../kernel/quantity.js';
import type { SampleSummary } from '../../trace/metrics/samples.js';
import { table, wrap } from '../table.js';
import { countRatio, percentileRatios, type Ratio } from './bootstrap.js';

/** Smaller changes are irrelevant in practice. */
const LEAST_CHANGE = 0.05;

const PERCENTILES = [50, 95, 99] as const;

/** The part of `summary.json` that a comparison needs. */
export interface ComparedRun {
  /** Path that it was read from. */
  readonly name: string;
  readonly scenario: string;
  readonly seed: number;
  readonly situation: string;
  /** Why the run ended early or is invalid; null otherwise. */
  readonly failure: string | null;
  /** Whether devices were changed from a console. */
  readonly touched: boolean;
  readonly samples: SampleSummary;
}

/** One number of both runs. */
interface MetricDifference extends Ratio {
  /** `downlink.delivered p(95)` */
  readonly metric: string;
  readonly unit: Unit;
  readonly verdict: 'different' | 'same' | 'unknown';
}

/** Result of a comparison of two runs. */
interface RunComparison {
  readonly a: ComparedRun;
  readonly b: ComparedRun;
  readonly rows: readonly MetricDifference[];
  readonly different: boolean;
}

export function compareRuns(a: ComparedRun, b: ComparedRun): RunComparison {
  const rows = [...durations(a.samples, b.samples), ...counts(a.samples, b.samples)];
  return { a, b, rows, different: rows.some(({ verdict }) => verdict === 'different') };
}

/** Reasons not to compare two runs, as texts; empty when they can be compared. */
export function objections(a: ComparedRun, b: ComparedRun): readonly string[] {
  const found: string[] = [];
  if (a.scenario !== b.scenario) found.push(`the runs have different scenarios, "${a.scenario}" and "${b.scenario}"`);
  else if (a.situation !== b.situation) found.push(`the scenario "${a.scenario}" was changed between the runs`);
  for (const { name, failure, touched } of [a, b]) {
    if (failure !== null) found.push(`"${name}" did not finish: ${failure}`);
    if (touched) found.push(`"${name}" was changed from a console`);
  }
  return found;
}

function durations(a: SampleSummary, b: SampleSummary): readonly MetricDifference[] {
  return Object.entries(a.durations).flatMap(([metric, one]) => {
    const other = b.durations[metric];
    if (other === undefined || other.steps !== one.steps) return [];
    const ratios = percentileRatios(one, other, PERCENTILES);
    return ratios
      .map((ratio, i) => judged(`${metric} p(${PERCENTILES[i]})`, 'ms', ratio))
      .filter((row, i) => (row.a > 0 || row.b > 0) && (i === 0 || row.interval !== null));
  });
}

function counts(a: SampleSummary, b: SampleSummary): readonly MetricDifference[] {
  const names = [...new Set([...Object.keys(a.counts), ...Object.keys(b.counts)])];
  return names.map((metric) => judged(metric, 'count', countRatio(a.counts[metric] ?? [], b.counts[metric] ?? [])));
}

function judged(metric: string, unit: MetricDifference['unit'], ratio: Ratio): MetricDifference {
  return { metric, unit, ...ratio, verdict: verdictOf(ratio) };
}

function verdictOf({ a, b, interval }: Ratio): MetricDifference['verdict'] {
  if (a === b) return 'same';
  if (interval === null) return Math.min(a, b) === 0 && Math.max(a, b) >= LEAST_NEW_COUNT ? 'different' : 'unknown';
  const [least, most] = interval;
  const sure = least > 1 || most < 1;
  return sure && Math.abs(b / a - 1) > LEAST_CHANGE ? 'different' : 'same';
}

/** A count that is 0 in one run and at least this in the other is different; it has no ratio. */
const LEAST_NEW_COUNT = 20;

const WIDTH = 100;

export function comparisonText({ a, b, rows, different }: RunComparison, remarks: readonly string[] = []): string {
  const columns = [
    { title: 'metric' },
    ...['A', 'B', 'change', 'interval'].map((title) => ({ title, align: 'right' as const })),
    { title: '' },
  ];
  const lines = table(columns, rows.map(cells));
  const found = rows.filter(({ verdict }) => verdict === 'different');
  const verdict = different
    ? `different: ${found.map(sentence).join('; ')}`
    : `no difference: no number changed by more than ${LEAST_CHANGE * 100}% and by more than chance explains`;
  return `${[
    `A  ${a.name} · ${a.scenario} · seed ${a.seed}`,
    `B  ${b.name} · ${b.scenario} · seed ${b.seed}`,
    ...remarks.flatMap((remark) => wrap(`! ${remark}`, WIDTH)),
    '',
    ...lines,
    '',
    ...wrap(verdict, WIDTH),
  ].join('\n')}\n`;
}

function cells({ metric, unit, a, b, interval, verdict }: MetricDifference): readonly string[] {
  const change = a === 0 ? '' : humanChange(b / a - 1);
  const range = interval === null ? '' : `${humanChange(interval[0] - 1)} … ${humanChange(interval[1] - 1)}`;
  const note = verdict === 'unknown' ? 'too little data' : verdict === 'different' ? '≠' : '';
  return [metric, humanValue(a, unit), humanValue(b, unit), change, range, note];
}

function sentence({ metric, unit, a, b }: MetricDifference): string {
  const how = unit === 'ms' ? (b > a ? 'longer' : 'shorter') : b > a ? 'more' : 'fewer';
  return a === 0 || b === 0
    ? `${metric} ${humanValue(a, unit)} → ${humanValue(b, unit)}`
    : `${metric} ${humanChange(b / a - 1)} (${how})`;
}
