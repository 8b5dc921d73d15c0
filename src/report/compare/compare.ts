/**
 * Whether two runs differ, number by number. A number counts as different only when its interval excludes "no difference"
 * and the difference is worth talking about: chance must not cry wolf, and neither must half a percent.
 */
import { humanDuration } from '../../kernel/time.js';
import type { SampleSummary } from '../../trace/metrics/samples.js';
import { table, wrap } from '../table.js';
import { countRatio, percentileRatio, type Ratio } from './bootstrap.js';

/** A smaller difference does not matter in practice. */
const WORTH_TALKING = 0.05;

const PERCENTILES = [50, 95, 99] as const;

/** What a comparison wants to know about a run; a part of `summary.json`. */
export interface ComparedRun {
  /** Where it was read from. */
  readonly name: string;
  readonly scenario: string;
  readonly seed: number;
  readonly situation: string;
  /** Why it ended early or is invalid; null when it did neither. */
  readonly failure: string | null;
  /** Something was done from a console. */
  readonly touched: boolean;
  readonly samples: SampleSummary;
}

interface Difference extends Ratio {
  /** `downlink.delivered p(95)` */
  readonly metric: string;
  readonly unit: 'count' | 'ms';
  readonly verdict: 'different' | 'same' | 'unknown';
}

interface Comparison {
  readonly a: ComparedRun;
  readonly b: ComparedRun;
  readonly rows: readonly Difference[];
  readonly different: boolean;
}

export function compareRuns(a: ComparedRun, b: ComparedRun): Comparison {
  const rows = [...durations(a.samples, b.samples), ...counts(a.samples, b.samples)];
  return { a, b, rows, different: rows.some(({ verdict }) => verdict === 'different') };
}

/** Why two runs should not be compared, in sentences; empty when nothing speaks against it. */
export function objections(a: ComparedRun, b: ComparedRun): readonly string[] {
  const found: string[] = [];
  if (a.scenario !== b.scenario) found.push(`they are of different scenarios, "${a.scenario}" and "${b.scenario}"`);
  else if (a.situation !== b.situation) found.push(`the scenario "${a.scenario}" was changed between them`);
  for (const { name, failure, touched } of [a, b]) {
    if (failure !== null) found.push(`"${name}" did not come to a good end: ${failure}`);
    if (touched) found.push(`"${name}" was touched from a console`);
  }
  return found;
}

function durations(a: SampleSummary, b: SampleSummary): readonly Difference[] {
  return Object.entries(a.durations).flatMap(([metric, { steps, batches }]) => {
    const other = b.durations[metric];
    if (other === undefined || other.steps !== steps) return [];
    return PERCENTILES.map((percent) =>
      judged(`${metric} p(${percent})`, 'ms', percentileRatio(batches, other.batches, percent, steps)),
    ).filter(({ a: one, b: two, interval }, i) => (one > 0 || two > 0) && (i === 0 || interval !== null));
  });
}

function counts(a: SampleSummary, b: SampleSummary): readonly Difference[] {
  const names = [...new Set([...Object.keys(a.counts), ...Object.keys(b.counts)])];
  return names.map((metric) => judged(metric, 'count', countRatio(a.counts[metric] ?? [], b.counts[metric] ?? [])));
}

function judged(metric: string, unit: Difference['unit'], ratio: Ratio): Difference {
  return { metric, unit, ...ratio, verdict: verdictOf(ratio) };
}

function verdictOf({ a, b, interval }: Ratio): Difference['verdict'] {
  if (a === b) return 'same';
  if (interval === null) return Math.min(a, b) === 0 && Math.max(a, b) >= OUT_OF_NOTHING ? 'different' : 'unknown';
  const [least, most] = interval;
  const sure = least > 1 || most < 1;
  return sure && Math.abs(b / a - 1) > WORTH_TALKING ? 'different' : 'same';
}

/** What was never there and then this often, or the other way round, is no chance; there is no ratio to say so. */
const OUT_OF_NOTHING = 20;

const WIDTH = 100;

export function comparisonText({ a, b, rows, different }: Comparison, remarks: readonly string[] = []): string {
  const columns = [
    { title: 'metric' },
    ...['A', 'B', 'change', 'interval'].map((title) => ({ title, align: 'right' as const })),
    { title: '' },
  ];
  const lines = table(columns, rows.map(cells));
  const found = rows.filter(({ verdict }) => verdict === 'different');
  const verdict = different
    ? `different: ${found.map(sentence).join('; ')}`
    : `no difference: nothing changed by more than ${WORTH_TALKING * 100} % and more than chance explains`;
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

function cells({ metric, unit, a, b, interval, verdict }: Difference): readonly string[] {
  const written = (value: number) => (unit === 'ms' ? humanDuration(value) : String(value));
  const change = a === 0 ? '' : signed(b / a - 1);
  const range = interval === null ? '' : `${signed(interval[0] - 1)} … ${signed(interval[1] - 1)}`;
  const note = verdict === 'unknown' ? 'too little data' : verdict === 'different' ? '≠' : '';
  return [metric, written(a), written(b), change, range, note];
}

function sentence({ metric, unit, a, b }: Difference): string {
  const how = unit === 'ms' ? (b > a ? 'longer' : 'shorter') : b > a ? 'more' : 'fewer';
  return a === 0 || b === 0 ? `${metric} ${a} → ${b}` : `${metric} ${signed(b / a - 1)} (${how})`;
}

function signed(share: number): string {
  const percent = (share * 100).toFixed(1);
  return `${share > 0 ? '+' : ''}${percent} %`;
}
