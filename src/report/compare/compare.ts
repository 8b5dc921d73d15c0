/**
 * Compares two sides, number by number: one run with one run, or several with several. A number with an interval is different
 * only if the interval excludes a ratio of 1 and the change is more than 5 %. So neither chance nor an irrelevant change is
 * reported.
 */
import type { Unit } from '../../kernel/quantity.js';
import { SAMPLED, type SampledDurations, type SampleSummary } from '../../trace/metrics/samples.js';
import { computeRatios, countRatio, type Ratio } from './bootstrap.js';
import { type Condition, type Figure, meets, nameFigure } from './condition.js';
import { computeUncertainRatios, resolve, type UncertainRatio, uncertainCountRatio } from './repeated.js';
import { sumOf } from './sample.js';
import type { Side } from './side.js';

/** Smallest relevant change: smaller ones do not matter in practice. */
export const LEAST_CHANGE = 0.05;

const PERCENTILES: readonly number[] = [50, 95, 99];

/** With several runs: how likely it may be that any of the intervals does not contain the true change. */
export const RISK = 0.01;

/** One number of both sides. */
export interface MetricDifference extends Ratio {
  /** `downlink.delivered p(95)` */
  readonly metric: string;
  readonly unit: Unit;
  /**
   * Of B. `undetected`: no difference was found, which does not mean that there is none; see {@link findLeastShown}.
   * `unknown`: too little data.
   */
  readonly verdict: 'slower' | 'faster' | 'more' | 'fewer' | 'undetected' | 'unknown';
}

export interface ConditionResult {
  readonly condition: Condition;
  /** The number that it is about. */
  readonly row: MetricDifference;
  /** `undecided`: too little data. */
  readonly outcome: 'met' | 'not met' | 'undecided';
  /** Whether a change of the size of the limit would have shown. */
  readonly isSharp: boolean;
}

export interface Comparison {
  readonly a: Side;
  readonly b: Side;
  /** Whether the runs with the same seed are compared with each other. */
  readonly isPaired: boolean;
  readonly rows: readonly MetricDifference[];
  readonly different: boolean;
  /** In the order in which the user gave them. */
  readonly conditions: readonly ConditionResult[];
  /** Why the comparison ended before its last run; undefined if it did not. */
  readonly partial?: string;
}

/**
 * @param a as many runs as can be compared with those of `b` ({@link findObjections})
 * @param asked conditions. Their figures are compared as well, and get half of {@link RISK}
 */
export function compareSides(a: Side, b: Side, asked: readonly Condition[] = []): Comparison {
  const isPaired = a.runs.length > 1 && haveSameSeeds(a, b);
  const named = asked.map(({ figure }) => figure);
  const rows = a.runs.length > 1 ? compareSeveral([a, b], named, isPaired) : compareTwo([a, b], named);
  const conditions = asked.flatMap((condition) => {
    const row = rows.find(({ metric }) => metric === nameFigure(condition.figure));
    return row === undefined ? [] : [judgeCondition(condition, row)];
  });
  return { a, b, isPaired, rows, different: rows.some(isDifferent), conditions };
}

export function isDifferent({ verdict }: MetricDifference): boolean {
  return verdict !== 'undetected' && verdict !== 'unknown';
}

type Sides = readonly [Side, Side];

/** The runs of a side in the order of their seeds, so that runs with the same index are a pair. */
function inOrder({ runs }: Side) {
  return runs.toSorted((one, other) => one.seed - other.seed);
}

function haveSameSeeds(a: Side, b: Side): boolean {
  const [one, other] = [a, b].map((side) => inOrder(side).map(({ seed }) => seed));
  return new Set(one).size === one?.length && one.join() === other?.join();
}

function compareTwo(sides: Sides, named: readonly Figure[]): readonly MetricDifference[] {
  const [a, b] = sides.map(({ runs }) => runs[0]?.samples ?? NO_SAMPLES) as [SampleSummary, SampleSummary];
  return listDurations([a, b], named)
    .flatMap(({ metric, percents }) => {
      const [one, other] = [a.durations[metric], b.durations[metric]];
      const ratios = one && other && one.steps === other.steps ? computeRatios(one, other, percents) : undefined;
      return tidy(metric, percents, ratios, named);
    })
    .concat(
      listCounts([a, b], named).map((metric) =>
        judgeRatio(metric, 'count', countRatio(a.counts[metric] ?? [], b.counts[metric] ?? [])),
      ),
    );
}

const NO_SAMPLES: SampleSummary = { batches: 0, counts: {}, durations: {} };

function compareSeveral(sides: Sides, named: readonly Figure[], isPaired: boolean): readonly MetricDifference[] {
  const [a, b] = sides.map((side) => inOrder(side).map(({ samples }) => samples)) as [SampleSummary[], SampleSummary[]];
  const all = [...a, ...b];
  const durations = listDurations(all, named).map(({ metric, percents }) => {
    const of = (side: readonly SampleSummary[]) => side.flatMap(({ durations: { [metric]: found } }) => found ?? []);
    const [one, other] = [of(a), of(b)];
    const isWhole = one.length === a.length && other.length === b.length && haveOneResolution([...one, ...other]);
    return { metric, percents, ratios: isWhole ? computeUncertainRatios(one, other, percents, isPaired) : undefined };
  });
  const counts = listCounts(all, named).map((metric) => {
    const of = (side: readonly SampleSummary[]) => side.map((run) => sumOf(run.counts[metric] ?? []));
    return { metric, ratio: uncertainCountRatio(of(a), of(b), isPaired) };
  });
  const isNamed = (figure: Figure) => named.some((one) => nameFigure(one) === nameFigure(figure));
  const known = [
    ...durations.flatMap(({ metric, percents, ratios }) =>
      percents.map((percent, k) => ({
        isNamed: isNamed({ metric, percent }),
        isKnown: (ratios?.[k]?.estimates ?? []).length > 0,
      })),
    ),
    ...counts.map(({ metric, ratio: { estimates, parted } }) => ({
      isNamed: isNamed({ metric, percent: null }),
      isKnown: estimates.length > 0 || parted !== undefined,
    })),
  ].filter(({ isKnown }) => isKnown);
  // The figures that the user asks for share one half of the risk, the others the other half. So few of them have narrow
  // intervals, however many others there are.
  const asked = known.filter((each) => each.isNamed).length;
  const others = known.length - asked;
  const parts = asked > 0 && others > 0 ? RISK / 2 : RISK;
  const settle = (ratio: UncertainRatio, figure: Figure) =>
    resolve(ratio, parts / Math.max(1, isNamed(figure) ? asked : others));
  return [
    ...durations.flatMap(({ metric, percents, ratios }) =>
      tidy(
        metric,
        percents,
        ratios?.map((ratio, k) => settle(ratio, { metric, percent: percents[k] ?? 0 })),
        named,
      ),
    ),
    ...counts.map(({ metric, ratio }) => judgeRatio(metric, 'count', settle(ratio, { metric, percent: null }))),
  ];
}

function haveOneResolution(all: readonly SampledDurations[]): boolean {
  return all.every(({ steps }) => steps === all[0]?.steps);
}

/** The durations of some runs, or that conditions name, with the percentiles to compare. */
function listDurations(all: readonly SampleSummary[], named: readonly Figure[]) {
  const known = all.flatMap(({ durations }) => Object.keys(durations));
  return SAMPLED.durations.flatMap((metric) => {
    const own = named.flatMap((figure) => (figure.metric === metric && figure.percent !== null ? figure.percent : []));
    if (own.length === 0 && !known.includes(metric)) return [];
    return [{ metric, percents: [...new Set([...PERCENTILES, ...own])].sort((a, b) => a - b) }];
  });
}

function listCounts(all: readonly SampleSummary[], named: readonly Figure[]): readonly string[] {
  const known = new Set(all.flatMap(({ counts }) => Object.keys(counts)));
  for (const { metric, percent } of named) if (percent === null) known.add(metric);
  return SAMPLED.counts.filter((metric) => known.has(metric));
}

/** The rows of a duration. Percentiles with too little data are left out, except for the first one and those of conditions. */
function tidy(
  metric: string,
  percents: readonly number[],
  ratios: readonly Ratio[] | undefined,
  named: readonly Figure[],
): readonly MetricDifference[] {
  const isNamed = (percent: number) => named.some((one) => one.metric === metric && one.percent === percent);
  return percents.flatMap((percent, i) => {
    const ratio = ratios?.[i] ?? NO_RATIO;
    const isShown = (ratio.a > 0 || ratio.b > 0) && (i === 0 || ratio.interval !== null);
    return isShown || isNamed(percent) ? [judgeRatio(nameFigure({ metric, percent }), 'ms', ratio)] : [];
  });
}

const NO_RATIO: Ratio = { a: 0, b: 0, interval: null };

function judgeRatio(metric: string, unit: MetricDifference['unit'], ratio: Ratio): MetricDifference {
  return { metric, unit, ...ratio, verdict: judgeInterval(ratio, unit) };
}

function judgeInterval(ratio: Ratio, unit: Unit): MetricDifference['verdict'] {
  const { a, b, interval, emerged = false } = ratio;
  // Where nothing happened on both sides, much would have shown. Without any duration, nothing is known.
  if (a === b && (interval !== null || (unit === 'count' && a === 0))) return 'undetected';
  if (interval === null && !emerged) return 'unknown';
  if (!emerged && !(isSure(ratio) && Math.abs(b / a - 1) > LEAST_CHANGE)) return 'undetected';
  if (unit === 'ms') return b > a ? 'slower' : 'faster';
  return b > a ? 'more' : 'fewer';
}

/** Whether chance does not explain the change. */
function isSure({ emerged = false, interval }: Ratio): boolean {
  return emerged || (interval !== null && (interval[0] > 1 || interval[1] < 1));
}

function judgeCondition(condition: Condition, row: MetricDifference): ConditionResult {
  const { limit, comparison } = condition;
  const change = measureChange(row) ?? (row.b > 0 ? Number.POSITIVE_INFINITY : 0);
  const shown = findLeastShown(row, 0);
  const isSharp = shown === null || (comparison.startsWith('>') ? shown.increase <= limit : shown.decrease >= limit);
  const outcome = row.verdict === 'unknown' ? 'undecided' : isSure(row) && meets(condition, change) ? 'met' : 'not met';
  return { condition, row, outcome, isSharp };
}

/** The difference between B and A, relative to A; null if A is 0. */
export function measureChange({ a, b }: Pick<Ratio, 'a' | 'b'>): number | null {
  return a === 0 ? null : b / a - 1;
}

/** The smallest changes that a comparison can show, relative to A: a negative one and a positive one. */
interface LeastShown {
  readonly decrease: number;
  /** Infinity if no increase would have shown. */
  readonly increase: number;
}

/**
 * The change between A and B that would have made the number different: the interval, which keeps its width in relation to the
 * change, would no longer contain a ratio of 1. null if there is too little data for an interval.
 * @param relevant smaller changes do not count as different
 */
export function findLeastShown({ a, b, interval }: Ratio, relevant = LEAST_CHANGE): LeastShown | null {
  if (interval === null) return null;
  const [least, most] = interval;
  const ratio = b / a;
  return {
    decrease: Math.min(1 - relevant, ratio / most) - 1,
    increase: Math.max(1 + relevant, ratio / least) - 1,
  };
}
