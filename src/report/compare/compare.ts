/**
 * Compares two runs, number by number. A number with an interval is different only if the interval excludes a ratio of 1 and
 * the change is more than 5 %. So neither chance nor an irrelevant change is reported.
 */
import type { Unit } from '../../kernel/quantity.js';
import type { SampleSummary } from '../../trace/metrics/samples.js';
import { computeRatios, countRatio, type Ratio } from './bootstrap.js';

/** Smallest relevant change: smaller ones do not matter in practice. */
export const LEAST_CHANGE = 0.05;

const PERCENTILES = [50, 95, 99] as const;

/** The part of `summary.json` that a comparison needs. */
export interface ComparedRun {
  /** Path of the file from which it was read. */
  readonly name: string;
  /** Version of the format of the summary. */
  readonly format: number;
  readonly scenario: string;
  readonly seed: number;
  /** Digest of its events; null in a summary without one. */
  readonly digest: string | null;
  /** Fingerprint of the scenario without its seed. */
  readonly situation: string;
  /** Why the run ended early or is invalid; null otherwise. */
  readonly failure: string | null;
  /** Whether devices were changed from a console. */
  readonly touched: boolean;
  readonly samples: SampleSummary;
}

/** One number of both runs. */
export interface MetricDifference extends Ratio {
  /** `downlink.delivered p(95)` */
  readonly metric: string;
  readonly unit: Unit;
  /** `undetected`: no difference was found, which does not mean that there is none; see {@link findLeastShown}. */
  readonly verdict: 'different' | 'undetected' | 'unknown';
}

export interface RunComparison {
  readonly a: ComparedRun;
  readonly b: ComparedRun;
  readonly rows: readonly MetricDifference[];
  readonly different: boolean;
}

export function compareRuns(a: ComparedRun, b: ComparedRun): RunComparison {
  const rows = [...compareDurations(a.samples, b.samples), ...compareCounts(a.samples, b.samples)];
  return { a, b, rows, different: rows.some(({ verdict }) => verdict === 'different') };
}

/** @param run the run with the earlier format, which has another fingerprint of the scenario */
function unknownScenario({ name, format, scenario }: ComparedRun): string {
  return `"${name}" has the format ${format} of an earlier version, so whether its scenario "${scenario}" is the same is unknown; repeat this run`;
}

/** Reasons not to compare two runs, as texts; empty when they can be compared. */
export function findObjections(a: ComparedRun, b: ComparedRun): readonly string[] {
  const found: string[] = [];
  if (a.scenario !== b.scenario) found.push(`the runs have different scenarios, "${a.scenario}" and "${b.scenario}"`);
  else if (a.format !== b.format) found.push(unknownScenario(a.format < b.format ? a : b));
  else if (a.situation !== b.situation) found.push(`the scenario "${a.scenario}" was changed between the runs`);
  for (const { name, failure, touched } of [a, b]) {
    if (failure !== null) found.push(`"${name}" did not finish: ${failure}`);
    if (touched) found.push(`"${name}" was changed from a console`);
  }
  return found;
}

function compareDurations(a: SampleSummary, b: SampleSummary): readonly MetricDifference[] {
  return Object.entries(a.durations).flatMap(([metric, one]) => {
    const other = b.durations[metric];
    if (other === undefined || other.steps !== one.steps) return [];
    const ratios = computeRatios(one, other, PERCENTILES);
    return ratios
      .map((ratio, i) => judgeRatio(`${metric} p(${PERCENTILES[i]})`, 'ms', ratio))
      .filter((row, i) => (row.a > 0 || row.b > 0) && (i === 0 || row.interval !== null));
  });
}

function compareCounts(a: SampleSummary, b: SampleSummary): readonly MetricDifference[] {
  const names = [...new Set([...Object.keys(a.counts), ...Object.keys(b.counts)])];
  return names.map((metric) => judgeRatio(metric, 'count', countRatio(a.counts[metric] ?? [], b.counts[metric] ?? [])));
}

function judgeRatio(metric: string, unit: MetricDifference['unit'], ratio: Ratio): MetricDifference {
  return { metric, unit, ...ratio, verdict: judgeInterval(ratio) };
}

/** The difference between B and A, relative to A; null if A is 0. */
export function measureChange({ a, b }: MetricDifference): number | null {
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
 */
export function findLeastShown({ a, b, interval }: Ratio): LeastShown | null {
  if (interval === null) return null;
  const [least, most] = interval;
  const ratio = b / a;
  return {
    decrease: Math.min(1 - LEAST_CHANGE, ratio / most) - 1,
    increase: Math.max(1 + LEAST_CHANGE, ratio / least) - 1,
  };
}

function judgeInterval({ a, b, interval }: Ratio): MetricDifference['verdict'] {
  if (a === b) return 'undetected';
  if (interval === null) return Math.min(a, b) === 0 && Math.max(a, b) >= LEAST_NEW_COUNT ? 'different' : 'unknown';
  const [least, most] = interval;
  const sure = least > 1 || most < 1;
  return sure && Math.abs(b / a - 1) > LEAST_CHANGE ? 'different' : 'undetected';
}

/** A count that is 0 in one run has no ratio. It is different if it is at least this number in the other run. */
const LEAST_NEW_COUNT = 20;
