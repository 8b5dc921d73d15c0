/** Files of a run in its directory, other than the event log, which is written during the run. */
import { closeSync, lstatSync, openSync, readdirSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { lockFile } from '../cloud/store/sqlite/file-lock.js';
import { filesOf, keptBecause, removeDatabase } from '../cloud/store/sqlite/files.js';
import { UsageError } from '../kernel/errors.js';
import { readBeginning } from '../kernel/file-beginning.js';
import { makePrivateDirectory } from '../kernel/private-directory.js';
import { PRIVATE } from '../kernel/private-file.js';
import { cannotWrite, fileReason } from '../kernel/system-errors.js';
import { shownText } from '../kernel/web-address.js';
import { findRealPath, isDirectory, writeWhole } from '../kernel/write-files.js';
import { writeDownlinksCsv, writePartsCsv } from '../report/renderers/csv.js';
import { RENDERERS, REPORT_FILES, REPORT_FORMATS, type ReportFormat } from '../report/renderers/index.js';
import type { RunResult, RunSource } from '../report/result.js';
import type { DownlinkRecord } from '../trace/downlinks/ledger.js';

/**
 * Creates the directory if it does not exist. Only the owner may access a created directory, because messages and the database
 * of a run contain secrets.
 * @throws UsageError with the reason if it cannot be created
 */
function openDirectory(path: string): string {
  try {
    makePrivateDirectory(path);
    return path;
  } catch (error) {
    const reason = fileReason(error, 'no such file or directory');
    throw new UsageError('cannot-write', `cannot create the directory "${path}": ${reason}`);
  }
}

/** The scenario file for the result of a run. Values of secret variables are left out. */
export function sourceOf(
  file: string,
  vars: ReadonlyMap<string, string>,
  secrets: ReadonlySet<string>,
  more: Pick<RunSource, 'firmware' | 'allowFile'>,
): RunSource {
  const isSecret = (name: string, value: string) => secrets.has(name) || shownText(value) !== value;
  const shown = [...vars].map(([name, value]) => [name, isSecret(name, value) ? null : value] as const);
  return { file, vars: Object.fromEntries(shown), ...more };
}

/** The directory of a run. Until `end` is called, or the process ends, no other run may use it. */
export interface RunFolder {
  readonly path: string;
  end(): void;
}

/**
 * Creates the directory of a run if it does not exist, and removes the files of earlier runs from it. So the reports of an
 * earlier run never stand beside the events of this run, even if this run is killed.
 * @throws UsageError with the reason if it cannot be created, or if a file cannot be removed; `folder-in-use` while another run
 * uses it; `foreign-files`, before anything is changed, if it has a file that no run wrote under a name that a run would use
 */
export function beginRun(path: string): RunFolder {
  openDirectory(path);
  const locks = [lockFolder(path)];
  try {
    removeRuns(path, (folder) => locks.push(lockFolder(folder)));
  } catch (error) {
    for (const unlock of locks) unlock();
    throw error;
  }
  const [own, ...ofSeeds] = locks;
  for (const unlock of ofSeeds) unlock();
  return { path, end: () => own?.() };
}

/**
 * Checks that no other output has the place of a file of a run, which would be removed or replaced.
 * @param out directory of the run, or of several @param outputs paths by option
 * @throws UsageError that names the option
 */
export function needOtherPlaces(out: string | undefined, outputs: Readonly<Record<string, string | undefined>>): void {
  if (out === undefined) return;
  for (const [name, path] of Object.entries(outputs)) {
    if (path === undefined || !isInRun(relative(findRealPath(out), findRealPath(path)).split(sep))) continue;
    throw new UsageError(
      'bad-flags',
      `--${name} "${path}" has the name of a file of the run in --out "${out}"`,
      'choose another name',
    );
  }
}

/** Whether a run writes a file with this path, in parts, to its directory or to that of a seed. */
function isInRun(parts: readonly string[]): boolean {
  const [name = '', folder = 'seed-0'] = parts.toReversed();
  if (parts[0] === '..' || !isSeedDirectory(folder)) return false;
  return name in BEGINNINGS || name === LOCK_FILE || filesOf(DATABASE_FILE).includes(name);
}

/** {@link beginRun} in a directory of a directory that several runs share. */
export function beginRunIn(out: string, name: string): RunFolder {
  const path = join(out, name);
  needOwn(linkAt(path));
  return beginRun(path);
}

/**
 * Removes the files of a run, or of runs with several seeds, and the directory unless it has other files.
 * @throws UsageError like {@link beginRun}
 */
export function removeRunFolder(path: string): void {
  needOwn(linkAt(path));
  beginRun(path).end();
  removeEmpty(path);
}

/** Says that the path is a link: the files behind it are elsewhere. */
function linkAt(path: string): readonly string[] {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? [`"${path}" is a link`] : [];
}

/** Removes the files of earlier runs from a directory and from its directories of seeds. */
function removeRuns(path: string, lock: (folder: string) => void): void {
  const named = readdirSync(path)
    .filter(isSeedDirectory)
    .map((name) => join(path, name));
  needOwn(named.flatMap(linkAt));
  const seeds = named.filter(isDirectory);
  const folders = [path, ...seeds];
  seeds.forEach(lock);
  needOwn(folders.flatMap((folder) => [...foreignFiles(folder, Object.keys(BEGINNINGS)), ...foreignDatabase(folder)]));
  for (const folder of folders) removeRun(folder);
  seeds.forEach(removeEmpty);
}

/** Removes a directory that has nothing but empty lock files. */
function removeEmpty(folder: string): void {
  const names = readdirSync(folder);
  if (!names.every((name) => LOCKS.includes(name) && isEmptyFile(join(folder, name)))) return;
  for (const name of names) rmSync(join(folder, name));
  rmdirSync(folder);
}

function isEmptyFile(path: string): boolean {
  const there = lstatSync(path);
  return there.isFile() && there.size === 0;
}

/**
 * Locks a directory, so that two runs never write to it at the same time.
 * @returns the function that unlocks it, and removes the lock file
 */
function lockFolder(folder: string): () => void {
  const path = join(folder, LOCK_FILE);
  needOwn([...notFile(path), ...foreignFiles(folder, [LOCK_FILE])]);
  for (;;) {
    const file = createLockFile(path, folder);
    const unlock = locked(path);
    if (unlock === undefined) {
      throw new UsageError(
        'folder-in-use',
        `another run is writing to the directory "${folder}"`,
        'use another directory, or wait until that run has ended',
      );
    }
    const end = () => {
      rmSync(path, { force: true });
      unlock();
    };
    // Otherwise a run that has just ended has removed the file.
    if (file === inodeOf(path)) return end;
    unlock();
  }
}

/** Returns the inode of the lock file. */
function createLockFile(path: string, folder: string): number | undefined {
  try {
    // An existing file is not opened: closing it would release a lock of this process.
    if (inodeOf(path) === undefined) closeSync(openSync(path, 'wx', PRIVATE.file));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw cannotWrite(`to the directory "${folder}"`, error);
  }
  return inodeOf(path);
}

function inodeOf(path: string): number | undefined {
  return lstatSync(path, { throwIfNoEntry: false })?.ino;
}

function locked(path: string): (() => void) | undefined {
  try {
    return lockFile(path);
  } catch {
    // Some network file systems have no locks. There, the user has to take care.
    return () => {};
  }
}

/**
 * Creates the directory for reports if it does not exist.
 * @param names files that will be written
 * @throws UsageError like {@link beginRun}
 */
export function openReports(path: string, names: readonly string[]): RunFolder {
  openDirectory(path);
  const end = lockFolder(path);
  try {
    needOwn(foreignFiles(path, names));
  } catch (error) {
    end();
    throw error;
  }
  return { path, end };
}

/** The directory of one run of several. @param out directory of all runs */
export function seedDirectory(out: string, seed: number): string {
  return join(out, `seed-${seed}`);
}

const SEED = /^seed-\d+$/;

/** Whether a name is one that {@link seedDirectory} gives. */
export function isSeedDirectory(name: string): boolean {
  return SEED.test(name);
}

/** The seed in such a name. */
export function readSeed(name: string): number {
  return Number(name.slice('seed-'.length));
}

/** Names of the tables over all runs. */
export const SEEDS_FILES = { json: 'seeds.json', csv: 'seeds.csv' } as const;

/** Names of the files of a search for a capacity. */
export const CAPACITY_FILES = { json: 'capacity.json', html: 'capacity.html', junit: 'junit.xml' } as const;

export const DOWNLINKS_FILE = 'downlinks.csv';
const PARTS_FILE = 'parts.csv';
export const EVENTS_FILE = 'events.jsonl';
const DATABASE_FILE = 'cloud.db';
/** Marks a run as the baseline of others. It is in the folder of the run: it moves with the run, and the next run in the folder removes it. */
const BASELINE_FILE = '.run-baseline';
const BASELINE_TEXT = 'ghostfleet baseline\n';
/** Exists only while a run uses the directory, or if it was killed. */
const LOCK_FILE = '.run-owner';
/** Empty files that may remain of earlier runs. */
const LOCKS: readonly string[] = [LOCK_FILE, `${DATABASE_FILE}-owner`];

/** How the files begin that runs write: a file with another beginning is not from a run. */
const BEGINNINGS: Readonly<Record<string, RegExp>> = {
  ...ofReports({
    junit: /^<\?xml [^>]*>\n<testsuites name="ghostfleet" /,
    text: /^.{0,2000}?·\s+seed\s+\d+\s+·\s+digest\s+[0-9a-f]{16}\s/s,
    json: /^\{\n {2}"format": \d+,\n {2}"scenario": "/,
    series: /^from_s,uplinks_stored,/,
    html: /^<!doctype html>\n<html lang="en">\n.*<title>[^<]* · [^<]* · [0-9a-f]{16}<\/title>/s,
  }),
  [DOWNLINKS_FILE]: /^id,device,serial,type,queued_at_ms,/,
  [PARTS_FILE]: /^by,value,metric,count,/,
  [EVENTS_FILE]: /^\{"kind":"[a-z.-]+","at":/,
  [SEEDS_FILES.json]: /^\{\n {2}"scenario": ".*",\n {2}"runs": \[/,
  [CAPACITY_FILES.json]: /^\{\n {2}"format": \d+,\n {2}"scenario": "/,
  [CAPACITY_FILES.html]: /^<!doctype html>\n<html lang="en">\n.*<title>[^<]* · capacity · [^<]*<\/title>/s,
  [BASELINE_FILE]: new RegExp(`^${BASELINE_TEXT}$`),
  [SEEDS_FILES.csv]: /^metric,runs,min,median,max\r?\n/,
};
/** Bytes. The heading of the HTML report is within. */
const LONGEST_BEGINNING = 8192;

function ofReports(beginnings: Readonly<Record<ReportFormat, RegExp>>): Readonly<Record<string, RegExp>> {
  return Object.fromEntries(REPORT_FORMATS.map((format) => [REPORT_FILES[format], beginnings[format]]));
}

/** Messages about files of these names that no run wrote. Directories are left out: writing there fails. */
function foreignFiles(folder: string, names: readonly string[]): readonly string[] {
  return names.flatMap((name) => {
    const path = join(folder, name);
    const links = linkAt(path);
    if (links.length > 0) return links;
    const there = lstatSync(path, { throwIfNoEntry: false });
    if (there === undefined || there.isDirectory()) return [];
    // Another program could read what is written to a pipe, or never read it.
    if (!there.isFile()) return [`"${path}" is not a file`];
    if (there.size === 0 || BEGINNINGS[name]?.test(beginningOf(path))) return [];
    return [`"${path}" is not the file of a run`];
  });
}

/** Messages about a database that is not only that of a run, and about anything else in the place of one of its files. */
function foreignDatabase(folder: string): readonly string[] {
  const path = databaseIn(folder);
  const wrong = filesOf(path).flatMap(notFile);
  const isThere = (lstatSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
  const why = wrong.length === 0 && isThere ? keptBecause(path) : undefined;
  return why === undefined ? wrong : [`"${path}" ${why}`];
}

/** Says that the path is a link, a directory, a pipe or the like. */
function notFile(path: string): readonly string[] {
  const there = lstatSync(path, { throwIfNoEntry: false });
  return there === undefined || there.isFile()
    ? []
    : [`"${path}" ${there.isSymbolicLink() ? 'is a link' : 'is not a file'}`];
}

function beginningOf(path: string): string {
  try {
    return readBeginning(path, LONGEST_BEGINNING).toString();
  } catch (error) {
    throw new UsageError('cannot-read', `cannot read "${path}": ${fileReason(error, 'no such file')}`);
  }
}

/** @param foreign messages about files that must stay */
function needOwn(foreign: readonly string[]): void {
  if (foreign.length === 0) return;
  throw new UsageError(
    'foreign-files',
    `files that no run wrote are in the way: ${foreign.join('; ')}`,
    'use another directory, or move these files away',
  );
}

/** Removes the files of a run. Call it when none of them is foreign. Directories stay. */
function removeRun(path: string): void {
  for (const name of Object.keys(BEGINNINGS)) removing(join(path, name), (file) => isFile(file) && rmSync(file));
  // An empty file has no tables yet: the run can use it.
  removing(databaseIn(path), (file) => isFile(file) && statSync(file).size > 0 && removeDatabase(file));
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function removing(path: string, remove: (path: string) => void): void {
  try {
    remove(path);
  } catch (error) {
    throw cannotWrite(`"${path}"`, error);
  }
}

/**
 * The path of a report in the directory of a run.
 * @throws UsageError if it is missing, or no run wrote it
 */
export function needReport(folder: string, format: ReportFormat): string {
  const path = join(folder, REPORT_FILES[format]);
  const isThere = isFile(path);
  if (isThere && foreignFiles(folder, [REPORT_FILES[format]]).length === 0) return path;
  const missing = isDirectory(folder)
    ? `"${folder}" has no ${REPORT_FILES[format]}`
    : `the folder "${folder}" does not exist`;
  const why = isThere ? `"${path}" is not the file of a run` : missing;
  throw new UsageError('no-report', why, 'use the directory of "run --out"; of several seeds, that of one of them');
}

/** Whether the run in the directory is starred; not if the directory cannot be entered. */
export function isBaseline(folder: string): boolean {
  try {
    return lstatSync(join(folder, BASELINE_FILE), { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    return false;
  }
}

/** Stars the run in the directory, or takes the star away. @throws UsageError for another file of this name */
export function setBaseline(folder: string, starred: boolean): void {
  needOwn(foreignFiles(folder, [BASELINE_FILE]));
  const path = join(folder, BASELINE_FILE);
  if (starred) writeWhole(path, BASELINE_TEXT);
  else removing(path, (file) => rmSync(file, { force: true }));
}

/** The path of the database in the directory. */
export function databaseIn(out: string): string {
  return join(out, DATABASE_FILE);
}

/**
 * Writes reports and the table of downlinks, the others even if one of them fails.
 * @param formats default: all
 * @param downlinks undefined: the table is not written
 * @throws UsageError that names every file that cannot be written
 */
export function writeReports(
  out: string,
  result: RunResult,
  downlinks: Iterable<DownlinkRecord> | undefined,
  formats: readonly ReportFormat[] = REPORT_FORMATS,
): void {
  const failed: string[] = [];
  const write = (name: string, pieces: () => string | Iterable<string>) => {
    const path = join(out, name);
    try {
      writeWhole(path, pieces(), { what: `the report "${path}"` });
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      failed.push(error.message);
    }
  };
  for (const format of formats) write(REPORT_FILES[format], () => RENDERERS[format](result));
  if (downlinks !== undefined) write(DOWNLINKS_FILE, () => writeDownlinksCsv(downlinks, result.names));
  const { parts } = result;
  if (parts !== undefined && formats.includes('series')) write(PARTS_FILE, () => writePartsCsv(parts));
  if (failed.length > 0) throw new UsageError('cannot-write', failed.join('; '));
}
