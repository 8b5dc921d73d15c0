/** The texts that a comparison has in all its formats. */
import { humanChange, humanValue } from '../../kernel/quantity.js';
import type { Column } from '../../kernel/table.js';
import {
  type Comparison,
  type ConditionResult,
  findLeastShown,
  isDifferent,
  type MetricDifference,
  measureChange,
  RISK,
} from './compare.js';
import { nameFigure } from './condition.js';
import { describeRuns, type Side } from './side.js';

/** The metric, its figures and the verdict. `would show` has the smallest changes that would have shown. */
export const COLUMNS: readonly Column[] = [
  { title: 'metric' },
  ...['A', 'B', 'change', 'interval', 'would show'].map((title) => ({ title, align: 'right' as const })),
  { title: '' },
];

/** The cells of {@link COLUMNS}. */
export function listCells(row: MetricDifference): readonly string[] {
  const { metric, unit, a, b, verdict } = row;
  const change = measureChange(row);
  const note = verdict === 'unknown' ? 'too little data' : verdict === 'undetected' ? '' : verdict;
  // Counts of several runs are counts per run.
  const [one, other] = unit === 'count' ? [round(a), round(b)] : [a, b];
  const values = [humanValue(one, unit), humanValue(other, unit), change === null ? '' : humanChange(change)];
  return [metric, ...values, describeInterval(row), verdict === 'undetected' ? describeShownFrom(row) : '', note];
}

function round(count: number): number {
  return Number(count.toFixed(1));
}

/** `-1.2% … +3.4%`; empty without an interval. */
function describeInterval({ interval }: MetricDifference): string {
  return interval === null ? '' : `${humanChange(interval[0] - 1)} … ${humanChange(interval[1] - 1)}`;
}

/** `-12.0% or +14.5%` */
function describeShownFrom(row: MetricDifference): string {
  const shown = findLeastShown(row);
  if (shown === null) return '';
  const { decrease, increase } = shown;
  return Number.isFinite(increase) ? `${humanChange(decrease)} or ${humanChange(increase)}` : humanChange(decrease);
}

/** `runs/a · demo · 10 runs, seeds 1 to 10` */
export function describeSide(side: Side): string {
  return `${side.name} · ${side.runs[0]?.scenario ?? ''} · ${describeRuns(side)}`;
}

/** How several runs were compared; empty for one run on each side. */
export function describeMethod({ a, isPaired }: Comparison): string {
  if (a.runs.length === 1) return '';
  const how = isPaired ? 'runs with the same seed are compared in pairs' : 'the sides are compared as wholes';
  return `${how}; with a probability of ${(1 - RISK) * 100}%, all intervals contain the true changes`;
}

/** The result in a few words. */
export function writeHeadline({ rows, different, partial, conditions }: Comparison): string {
  const times = new Set(
    rows.filter(({ unit }) => unit === 'ms').flatMap((row) => (isDifferent(row) ? row.verdict : [])),
  );
  const [one = 'different'] = times;
  const open = conditions.filter(({ outcome }) => outcome === 'undecided').length;
  const undecided = open === 0 ? '' : `, ${open} of ${conditions.length} conditions not decided`;
  const words = `${!different ? 'no difference found' : times.size === 1 ? one : 'different'}${undecided}`;
  return partial === undefined ? words : `not finished: so far ${words}`;
}

/** The result in one sentence. */
export function writeVerdict(comparison: Comparison): string {
  const { rows, different, partial } = comparison;
  const why = partial === undefined ? '' : ` (${partial})`;
  const words = `${writeHeadline(comparison)}${why}`;
  if (!different) return `${words}${writeResolution(comparison)}`;
  return `${words}: ${rows.filter(isDifferent).map(writeDifference).join('; ')}`;
}

/** The smallest changes that would have shown, so that a comparison of little data does not read like a proof of equality. */
function writeResolution({ rows, a, b }: Comparison): string {
  const sizes = rows
    .flatMap((row) => {
      const shown = findLeastShown(row);
      return shown === null ? [] : [{ metric: row.metric, size: Math.max(-shown.decrease, shown.increase) }];
    })
    .filter(({ size }) => Number.isFinite(size))
    .sort((one, other) => one.size - other.size);
  const [finest, coarsest] = [sizes[0], sizes.at(-1)];
  if (finest === undefined || coarsest === undefined) return ', but no number has enough data to show one';
  const words = ({ metric, size }: typeof finest) => `${(size * 100).toFixed(1)}% (${metric})`;
  const range = finest === coarsest ? words(finest) : `from ${words(finest)} to ${words(coarsest)}`;
  const runs = [...new Set([a, b].map((side) => side.runs.length))].join(' and ');
  const would =
    runs === '1' ? 'would have shown' : `${runs} runs ${runs.includes(' ') ? '' : 'on each side '}could have shown`;
  return `; the smallest change that ${would}: ${range}`;
}

function writeDifference(row: MetricDifference): string {
  const { metric, unit, a, b, verdict } = row;
  const change = measureChange(row);
  return change === null || b === 0
    ? `${metric} ${humanValue(a, unit)} → ${humanValue(b, unit)}`
    : `${metric} ${humanChange(change)} (${verdict})`;
}

/** `✗` if the condition is met, for which the comparison fails. */
export const MARKS = { met: '✗', 'not met': '✓', undecided: '?' } as const;

/** What is known about a condition, without the condition itself. */
export function describeCondition({ condition, row, outcome, isSharp }: ConditionResult): string {
  const { limit } = condition;
  if (outcome === 'undecided' && condition.figure.metric.startsWith('call.') && row.a === 0 && row.b === 0)
    return `${nameFigure(condition.figure)} has no value above 0: API requests take no time in virtual time, so compare runs in real time`;
  if (outcome === 'undecided') return `too little data for ${nameFigure(condition.figure)}: use more or longer runs`;
  const change = measureChange(row);
  const interval = describeInterval(row);
  const found =
    change === null ? `${row.a} → ${row.b}` : `${humanChange(change)}${interval === '' ? '' : ` (${interval})`}`;
  const shown = findLeastShown(row, 0);
  if (outcome === 'met' || isSharp || shown === null) return found;
  const least = limit < 0 || condition.comparison.startsWith('<') ? shown.decrease : shown.increase;
  return `${found}; these runs could have shown only ${humanChange(least)}: use more or longer runs`;
}
