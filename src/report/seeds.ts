/** The results of several runs that differ only in their seed: a verdict for each, and the spread of every number. */
import { append } from '../kernel/append.js';
import { countOf, humanCount, humanValue, type Unit } from '../kernel/quantity.js';
import { type Column, writeTable } from '../kernel/table.js';
import { findCause } from './cause.js';
import { writeCsvRow } from './csv-row.js';
import { foldText, plainMarkdown, writeMarkdownTable } from './markdown.js';
import type { RunResult } from './result.js';
import { getMark, getVerdict } from './verdict.js';

interface NumberSpread {
  /** Number of runs in which the number was measured. */
  readonly runs: number;
  readonly min: number;
  readonly median: number;
  readonly max: number;
}

/** An expectation over the runs. */
interface ExpectationSpread {
  readonly line: string;
  readonly passed: number;
  /** Seeds of the runs in which the expectation was not met. */
  readonly failed: readonly number[];
  /** Seeds of the runs that did not decide it; missing without such runs. */
  readonly undecided?: readonly number[];
  /** The likely cause in the runs that did not meet it, as a sentence; missing if nothing is known. */
  readonly cause?: string;
  readonly unit: Unit;
  /** Values of the left side of the expectation; missing without a measurement. */
  readonly value?: NumberSpread;
  /** Values of the right side; missing if it has no metrics, or always equals the left side. */
  readonly right?: NumberSpread;
}

export interface SeedsResult {
  readonly scenario: string;
  /** In the order of the seeds. */
  readonly runs: readonly SeedVerdict[];
  readonly passed: number;
  /** Number of runs that gave no result. */
  readonly missing: number;
  readonly expectations: readonly ExpectationSpread[];
  /** Every number of the summaries by its path: `downlinks.byType.shell.stages.answered.p95`. Durations are in ms. */
  readonly metrics: Readonly<Record<string, NumberSpread>>;
}

interface SeedVerdict extends Pick<RunResult, 'seed' | 'passed' | 'exitCode' | 'digest' | 'failure'> {
  /** Facts that put the verdict into question although no expectation covers them. */
  readonly warnings: readonly string[];
}

/**
 * @param results results of the scenario, in the order of their seeds
 * @param wanted number of runs, also of those that gave no result
 */
export function summariseSeeds(scenario: string, results: readonly RunResult[], wanted: number): SeedsResult {
  const runs = results.map((result) => {
    const { seed, passed, exitCode, digest, failure, warnings } = result;
    return { seed, passed, exitCode, digest, failure, warnings };
  });
  return {
    scenario,
    runs,
    passed: runs.filter(({ passed }) => passed).length,
    missing: wanted - runs.length,
    expectations: (results[0]?.expectations ?? []).map((_, index) => summariseExpectation(results, index)),
    metrics: summariseMetrics(results),
  };
}

function summariseExpectation(results: readonly RunResult[], index: number): ExpectationSpread {
  const all = results.flatMap(({ seed, expectations }) => {
    const one = expectations[index];
    return one ? [{ seed, one }] : [];
  });
  const unmet = results.filter(({ expectations }) => expectations[index]?.passed === false);
  const { line = '', unit = 'count' } = all[0]?.one ?? {};
  const seedsOf = (mark: string) => all.filter(({ one }) => getMark(one).mark === mark).map(({ seed }) => seed);
  const [failed, undecided] = [seedsOf('✗'), seedsOf('?')];
  const cause = findCause({ line }, unmet);
  const value = computeSpread(all.flatMap(({ one }) => one.left ?? []));
  const right = computeSpread(all.flatMap(({ one }) => (one.compared ? (one.right ?? []) : [])));
  const differs = all.some(({ one }) => one.left !== one.right);
  return {
    line,
    passed: seedsOf('✓').length,
    failed,
    ...(undecided.length > 0 && { undecided }),
    ...(unmet.length > 0 && cause !== undefined && { cause }),
    unit,
    ...(value && { value }),
    ...(right && differs && { right }),
  };
}

/** Parts of a result that are metrics. Series and samples are left out, because they contain the same numbers over time. */
const METRIC_PARTS = ['fleet', 'uplinks', 'downlinks', 'updates', 'calls', 'faults', 'service', 'steps'] as const;

function summariseMetrics(results: readonly RunResult[]): SeedsResult['metrics'] {
  const values = new Map<string, number[]>();
  for (const result of results) {
    for (const part of METRIC_PARTS) {
      for (const [path, value] of listNumbers(result[part], part)) {
        append(values, path, value);
      }
    }
  }
  return Object.fromEntries(
    [...values].flatMap(([path, all]) => {
      const spread = computeSpread(all);
      return spread ? [[path, spread] as const] : [];
    }),
  );
}

function* listNumbers(value: unknown, path: string): Iterable<readonly [string, number]> {
  if (typeof value === 'number') yield [path, value];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  for (const [key, inner] of Object.entries(value)) yield* listNumbers(inner, `${path}.${key}`);
}

/** Undefined without values. */
function computeSpread(values: readonly number[]): NumberSpread | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const [min] = sorted;
  const max = sorted.at(-1);
  if (min === undefined || max === undefined) return undefined;
  const upper = sorted[Math.floor(sorted.length / 2)] ?? max;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? min;
  return { runs: sorted.length, min, median: (lower + upper) / 2, max };
}

/** The text for a terminal. */
export function writeSeedsText(over: SeedsResult): string {
  const { scenario, runs, missing } = over;
  const verdicts = runs.map((run) => [String(run.seed), getVerdict(run).word, run.digest, run.failure ?? '']);
  const lines = listExpectations(over);
  const wanted = runs.length + missing;
  return [
    `${scenario} · ${countOf(wanted, 'seed')}`,
    '',
    ...writeTable(
      [{ title: 'seed', align: 'right' }, { title: 'verdict' }, { title: 'digest' }, { title: '' }],
      verdicts,
    ),
    '',
    ...(lines.length === 0 ? [] : [...writeTable(EXPECTATION_COLUMNS, lines), '']),
    ...listCauses(over).flatMap((cause) => [cause, '']),
    ...writeWarnings(runs),
    writeSeedsVerdict(over),
    '',
  ].join('\n');
}

const EXPECTATION_COLUMNS: readonly Column[] = [
  { title: '' },
  { title: 'expectation' },
  { title: 'met', align: 'right' },
  { title: 'min', align: 'right' },
  { title: 'median', align: 'right' },
  { title: 'max', align: 'right' },
  { title: '' },
];

function listExpectations({ runs, expectations }: SeedsResult): readonly (readonly string[])[] {
  const spread = (found: NumberSpread | undefined, unit: Unit) =>
    found ? [found.min, found.median, found.max].map((one) => humanValue(one, unit)) : ['-', '-', '-'];
  return expectations.flatMap(({ line, passed: met, failed, undecided = [], unit, value, right }) => [
    [
      failed.length > 0 ? '✗' : undecided.length > 0 ? '?' : '✓',
      line,
      `${met} of ${runs.length}`,
      ...spread(value, unit),
      [
        ...(failed.length === 0 ? [] : [`failed with seed ${failed.join(', ')}`]),
        ...(undecided.length === 0 ? [] : [`not decided with seed ${undecided.join(', ')}`]),
      ].join('; '),
    ],
    ...(right === undefined ? [] : [['', '  its right side', '', ...spread(right, unit), '']]),
  ]);
}

/** Why expectations were not met, one line each. */
function listCauses({ expectations }: SeedsResult): readonly string[] {
  return expectations.flatMap(({ line, cause }) => (cause === undefined ? [] : [`${line}: ${cause}`]));
}

function writeSeedsVerdict({ runs, passed, missing }: SeedsResult): string {
  const wanted = runs.length + missing;
  const word = missing > 0 ? 'NOT FINISHED' : passed === wanted ? 'passed' : 'FAILED';
  const rest = missing > 0 ? `, ${humanCount(missing)} gave no result` : '';
  return `${word} · ${humanCount(passed)} of ${countOf(wanted, 'run')} passed${rest}`;
}

/** The summary as Markdown, for a build server or a pull request. */
export function writeSeedsMarkdown(over: SeedsResult): string {
  return [
    `### ${plainMarkdown(`${over.scenario}: ${writeSeedsVerdict(over)}`)}`,
    '',
    ...listCauses(over).flatMap((cause) => [`- ${plainMarkdown(cause)}`, '']),
    ...writeMarkdownTable(EXPECTATION_COLUMNS, listExpectations(over)),
    ...foldText('Report', writeSeedsText(over)),
  ].join('\n');
}

/** Each warning once, with the seeds of the runs that have it; then an empty line. */
function writeWarnings(runs: readonly SeedVerdict[]): readonly string[] {
  const seeds = new Map<string, number[]>();
  for (const { seed, warnings } of runs) {
    for (const warning of warnings) seeds.set(warning, [...(seeds.get(warning) ?? []), seed]);
  }
  if (seeds.size === 0) return [];
  return [...[...seeds].map(([warning, all]) => `! seed ${all.join(', ')}: ${warning}`), ''];
}

/** The spread of every metric as CSV (RFC 4180), one row each. */
export function writeSeedsCsv({ metrics }: SeedsResult): string {
  const rows = Object.entries(metrics).map(([path, { runs, min, median, max }]) => [path, runs, min, median, max]);
  return [['metric', 'runs', 'min', 'median', 'max'], ...rows].map(writeCsvRow).join('');
}
