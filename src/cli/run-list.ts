/** The list of runs: what it shows of each, and the changes of the figures between runs of a scenario. */
import { lstatSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { append } from '../kernel/append.js';
import { messageOf, UsageError } from '../kernel/errors.js';
import { printableLine } from '../kernel/printable.js';
import { humanChange, humanCount, humanValue, type Unit } from '../kernel/quantity.js';
import { describeRefusal } from '../kernel/system-errors.js';
import { type Column, fitTable, wrap } from '../kernel/table.js';
import type { UnixMillis } from '../kernel/time.js';
import { isBaseline } from '../library/run-files.js';
import { measureChange } from '../report/compare/compare.js';
import { type Figure, nameFigure } from '../report/compare/condition.js';
import { measureFigure } from '../report/compare/figure.js';
import type { ReadRun } from '../report/compare/read.js';
import { findMisfit, findObjections, type Side } from '../report/compare/side.js';
import { REPORT_FILES } from '../report/renderers/index.js';
import { type FoundFolders, readSide } from './run-folders.js';

interface Listing {
  /** Newest first. */
  readonly rows: readonly (RunRow | BadRow)[];
  readonly figures: readonly Figure[];
  readonly folder: string;
}

interface Row {
  readonly path: string;
  /** Start of the run; if unknown, when its summary was written. */
  readonly at: UnixMillis;
  readonly isStarred: boolean;
}

/** A folder that cannot be read. */
interface BadRow extends Row {
  readonly problem: string;
}

interface RunRow extends Row {
  readonly problem: undefined;
  readonly runs: readonly ReadRun[];
  /** Without the samples, of which the figures remain: there may be thousands of runs. */
  readonly side: Side;
  readonly values: readonly (number | null)[];
}

export function readRows({ runs: paths, closed }: FoundFolders, figures: readonly Figure[]): Listing['rows'] {
  const bad = [...closed].map(([path, problem]) => ({ path, at: readTime(path), isStarred: false, problem }));
  const rows = [...paths.map((path) => readRow(path, figures)), ...bad];
  return rows.sort((a, b) => b.at - a.at || (a.path < b.path ? -1 : 1));
}

export function readRow(path: string, figures: readonly Figure[]): RunRow | BadRow {
  const isStarred = isBaseline(path);
  try {
    const side = readSide(path);
    const [unread] = side.unread;
    if (unread !== undefined) throw new UsageError('unfinished-run', `"${unread.name}" ${unread.why}`);
    const values = figures.map((figure) => measureFigure(side, figure));
    const read = side.runs.map((run) => ({ ...run, samples: { batches: 0, counts: {}, durations: {} } }));
    const starts = read.flatMap(({ startedAt }) => startedAt ?? []);
    const at = starts.length === 0 ? readTime(path) : starts.reduce((one, other) => Math.min(one, other));
    return { path, at, isStarred, problem: undefined, runs: read, side: { name: path, runs: read }, values };
  } catch (error) {
    const problem = printableLine(describeRefusal(error) ?? messageOf(error));
    return { path, at: readTime(path), isStarred, problem };
  }
}

function readTime(path: string): UnixMillis {
  return (find(join(path, REPORT_FILES.json)) ?? find(path))?.mtimeMs ?? 0;
}

/** Undefined also in a folder that cannot be entered: the list says so elsewhere. */
function find(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** The run with which each run is compared, the starred one or else the one before. @param rows newest first */
function findBaselines(rows: readonly (RunRow | BadRow)[]): ReadonlyMap<Row, RunRow> {
  const alike = new Map<string, RunRow[]>();
  for (const row of rows)
    if (row.problem === undefined && findFlaws(row).length === 0) append(alike, makeKey(row), row);
  const baselines = new Map<Row, RunRow>();
  for (const group of alike.values()) {
    group.forEach((row, i) => {
      const fits = (other: RunRow) => findMisfit(other.side, row.side) === undefined;
      const found =
        group.find((other) => other.isStarred && fits(other)) ?? group.find((other, j) => j > i && fits(other));
      if (found !== undefined && !row.isStarred) baselines.set(row, found);
    });
  }
  return baselines;
}

/** Why `compare` would not accept the run. */
export function findFlaws({ side }: RunRow): readonly string[] {
  return findObjections(side, side);
}

/** What runs that can be compared have in common. */
export function makeKey({ runs: [run] }: RunRow): string {
  return JSON.stringify([run?.scenario, run?.format, run?.situation]);
}

/** Relative to the baseline; null without a baseline, or a value of one of both. */
function computeChange(baseline: RunRow | undefined, row: RunRow, index: number): number | null {
  const [before, value] = [baseline?.values[index] ?? 0, row.values[index] ?? null];
  return value === null ? null : measureChange({ a: before, b: value });
}

function getUnit({ percent }: Figure): Unit {
  return percent === null ? 'count' : 'ms';
}

const NOTE = 'Changes: from the starred run (★) of the same scenario, or else from the run before.';

/** @param width in characters */
export function writeText({ rows, figures, folder }: Listing, width: number): string {
  if (rows.length === 0) return `no runs in "${printableLine(folder)}"\n`;
  const baselines = findBaselines(rows);
  const columns: readonly Column[] = [
    ...['run', 'started (UTC)', 'scenario'].map((title) => ({ title })),
    ...['seed', 'verdict', 'devices', 'unmet'].map((title) => ({ title, align: 'right' as const })),
    ...figures.flatMap((figure) => [{ title: shortenName(figure), align: 'right' as const }, { title: '' }]),
  ];
  const cells = rows.map((row) => {
    const name = `${row.isStarred ? '★ ' : ''}${printableLine(row.path)}`;
    if (row.problem !== undefined) return [name, formatMinute(row.at), '', '', 'unreadable'];
    const { runs: read, values } = row;
    const found = figures.flatMap((figure, i) => {
      const [value, change] = [values[i] ?? null, computeChange(baselines.get(row), row, i)];
      const text = value === null ? '–' : humanValue(Number(value.toFixed(1)), getUnit(figure));
      return [text, change === null ? '' : humanChange(change)];
    });
    return [
      name,
      formatMinute(row.at),
      printableLine(read[0]?.scenario ?? ''),
      ...describe(row).map(printableLine),
      ...found,
    ];
  });
  const problems = rows.flatMap(({ path, problem }) =>
    problem === undefined ? [] : wrap(`! ${printableLine(path)}: ${problem}`, width),
  );
  const note = baselines.size === 0 ? [] : ['', ...wrap(NOTE, width)];
  return `${[...fitTable(columns, cells, width), ...problems, ...note].join('\n')}\n`;
}

/** `downlink.delivered p(95)` without its group, for the narrow column of a table. */
function shortenName(figure: Figure): string {
  return nameFigure(figure).replace(/^\w+\./, '');
}

function formatMinute(at: UnixMillis): string {
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ');
}

/** Seeds, verdict, devices and the number of unmet expectations. */
function describe({ runs: read }: RunRow): readonly string[] {
  const [first] = read;
  const words = [...new Set(read.map(({ verdict }) => verdict ?? '–'))];
  const passed = read.filter(({ verdict }) => verdict === 'passed').length;
  return [
    describeSeeds(read.map(({ seed }) => seed)),
    words.length === 1 ? words.join() : `${passed} of ${read.length} passed`,
    first?.devices == null ? '–' : humanCount(first.devices),
    humanCount(listUnmet(read).length),
  ];
}

function describeSeeds(seeds: readonly number[]): string {
  const [first = 0] = seeds;
  if (seeds.length === 1) return String(first);
  return seeds.every((seed, i) => seed === first + i) ? `${first} to ${seeds.at(-1)}` : `${seeds.length} seeds`;
}

/** The expectations that were not met with any of the seeds. */
function listUnmet(read: readonly ReadRun[]): readonly string[] {
  return [...new Set(read.flatMap(({ unmet }) => unmet))];
}

/** Format version, raised by changes to which programs that read the list must adapt. */
const FORMAT = 1;

export function writeJson({ rows, figures }: Listing): string {
  const baselines = findBaselines(rows);
  const listed = rows.map((row) => {
    const { path: run, isStarred: starred, at } = row;
    const startedAt = new Date(at).toISOString();
    if (row.problem !== undefined) return { run, startedAt, starred, problem: row.problem };
    const [first] = row.runs;
    return {
      ...{ run, startedAt, starred },
      scenario: first?.scenario,
      seeds: row.runs.map(({ seed, verdict }) => ({ seed, verdict })),
      devices: first?.devices,
      unmet: listUnmet(row.runs),
      baseline: baselines.get(row)?.path ?? null,
      figures: figures.map((figure, i) => ({
        figure: nameFigure(figure),
        unit: getUnit(figure),
        value: row.values[i] ?? null,
        change: computeChange(baselines.get(row), row, i),
      })),
    };
  });
  return `${JSON.stringify({ format: FORMAT, runs: listed }, null, 2)}\n`;
}
