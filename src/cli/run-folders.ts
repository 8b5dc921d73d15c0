/** Finds the folders of runs below a folder, and reads the runs in them. */
import { type Dirent, readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { quote } from '../input/problems.js';
import { readRegular } from '../input/text-file.js';
import { UsageError } from '../kernel/errors.js';
import { fileReason } from '../kernel/system-errors.js';
import { exists, isDirectory } from '../kernel/write-files.js';
import { EVENTS_FILE, isBaseline, isSeedDirectory, readSeed } from '../library/run-files.js';
import { findUnfinished, needFinished } from '../library/unfinished.js';
import { type ReadRun, readSummary } from '../report/compare/read.js';
import { findObjections, type Side } from '../report/compare/side.js';
import { REPORT_FILES } from '../report/renderers/index.js';

/** One run, or those of several seeds. */
interface ReadSide extends Side {
  readonly runs: readonly ReadRun[];
  readonly unread: NonNullable<Side['unread']>;
}

/**
 * Of several seeds, those without a summary are `unread`.
 * @throws UsageError for a path without runs, and if no run has a summary; the error of the system for a closed folder
 */
export function readSide(path: string): ReadSide {
  const isOfSeeds = isDirectory(path) && !exists(findSummary(path)) && findUnfinished(path) === undefined;
  const seeds = isOfSeeds ? listSeeds(path) : [];
  const folders = seeds.length === 0 ? [path] : seeds.map((seed) => join(path, seed));
  const ended = folders.filter((folder) => seeds.length === 0 || exists(findSummary(folder)));
  const read = ended.length === 0 ? folders : ended;
  for (const folder of read) if (isDirectory(folder)) needFinished(folder);
  return {
    name: path,
    runs: read.map((folder) => readSummary(readRegular(findSummary(folder)), folder)),
    unread: folders.filter((folder) => !read.includes(folder)).map(describeUnread),
  };
}

function describeUnread(folder: string): NonNullable<Side['unread']>[number] {
  const why = findUnfinished(folder)?.what ?? `has neither a ${REPORT_FILES.json} nor events`;
  return { name: folder, seed: readSeed(basename(folder)), why };
}

/** The directories of the seeds, in their order. @throws UsageError without any */
function listSeeds(path: string): readonly string[] {
  const seeds = readdirSync(path).filter(isSeedDirectory);
  if (seeds.length === 0) {
    throw new UsageError(
      'no-run',
      `"${path}" is not a run: it has neither a ${REPORT_FILES.json} nor directories of seeds`,
      'use the directory of "run --out"',
    );
  }
  return seeds.sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
}

/** @param path a folder, or a summary */
export function findSummary(path: string): string {
  return isDirectory(path) ? join(path, REPORT_FILES.json) : path;
}

export interface FoundFolders {
  /** The folders of runs; one for all seeds of a run. */
  readonly runs: readonly string[];
  /** Folders that cannot be read, with the reason. */
  readonly closed: ReadonlyMap<string, string>;
  /** Whether there are more folders than are searched. */
  readonly isCut: boolean;
}

/** Number of folders that are searched. */
const MOST_FOLDERS = 20_000;

/**
 * The folders of runs in a folder and below it, the upper ones first. Does not follow symbolic links, and leaves out hidden
 * folders.
 * @throws UsageError if the folder itself cannot be read
 */
export function findRunFolders(top: string, most = MOST_FOLDERS): FoundFolders {
  const runs: string[] = [];
  const closed = new Map<string, string>();
  const queue = [top];
  // The list grows during the loop.
  for (const folder of queue) {
    const entries = listEntries(folder);
    if (typeof entries === 'string') {
      if (folder === top) throw new UsageError('cannot-read', `the folder "${top}" cannot be read: ${entries}`);
      closed.set(folder, entries);
      continue;
    }
    const folders = entries.filter((entry) => entry.isDirectory() && !/^\.|^node_modules$/.test(entry.name));
    const isSingle = hasRunFiles(entries);
    const isOfSeeds = ({ name }: Dirent) => isSeedDirectory(name) && hasRunFiles(listEntries(join(folder, name)));
    const seeds = new Set(isSingle ? [] : folders.filter(isOfSeeds));
    if (isSingle || seeds.size > 0) runs.push(folder);
    for (const inner of folders) {
      if (seeds.has(inner)) continue;
      if (queue.length >= most) return { runs, closed, isCut: true };
      queue.push(join(folder, inner.name));
    }
  }
  return { runs, closed, isCut: false };
}

/** The entries of a folder, or why it cannot be read. */
function listEntries(folder: string): readonly Dirent[] | string {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    return fileReason(error, 'no such folder');
  }
}

/** Whether a folder is that of one run, perhaps of one that was killed. */
export function isRunFolder(path: string): boolean {
  return hasRunFiles(listEntries(path));
}

function hasRunFiles(entries: readonly Dirent[] | string): boolean {
  return typeof entries !== 'string' && entries.some(({ name }) => name === REPORT_FILES.json || name === EVENTS_FILE);
}

/**
 * The starred run of the scenario of a side, in the folder around the side or below.
 * @throws UsageError if there is none
 */
export function findBaseline(side: Side): Side {
  const [{ scenario = '' } = {}] = side.runs;
  const own = resolve(isDirectory(side.name) ? side.name : dirname(side.name));
  const around = isDirectory(side.name) ? join(side.name, '..') : join(dirname(side.name), '..');
  const { runs, closed } = findRunFolders(around);
  const starred = runs
    .filter((path) => isBaseline(path) && resolve(path) !== own)
    .flatMap((path) => tryRead(path) ?? [])
    .filter(({ runs }) => runs[0]?.scenario === scenario);
  const found = starred.find((one) => findObjections(one, side).length === 0) ?? starred[0];
  if (found !== undefined) return found;
  const unread = [...closed].map(([folder, why]) => `; "${folder}" cannot be read: ${why}`).join('');
  throw new UsageError(
    'no-baseline',
    `no other run of the scenario ${quote(scenario)} in "${around}" is starred${unread}`,
    'star one with "ghostfleet runs FOLDER --star RUN", or name both runs',
  );
}

function tryRead(path: string): Side | undefined {
  try {
    return readSide(path);
  } catch {
    return undefined;
  }
}
