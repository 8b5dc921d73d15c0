/** Files of a run in its directory, other than the event log, which is written during the run. */
import { lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { removeDatabase } from '../cloud/store/sqlite/files.js';
import { UsageError } from '../kernel/errors.js';
import { cannotWrite, fileReason } from '../kernel/file-failure.js';
import { PRIVATE } from '../kernel/private-file.js';
import { isDirectory, writeWhole } from '../kernel/write-files.js';
import { downlinksCsv } from '../report/renderers/csv.js';
import { RENDERERS, REPORT_FILES, REPORT_FORMATS, type ReportFormat } from '../report/renderers/index.js';
import type { RunResult } from '../report/result.js';
import type { DownlinkRecord } from '../trace/downlinks/ledger.js';

/**
 * Creates the directory if it does not exist. Only the owner may access a created directory, because messages and the database
 * of a run contain secrets.
 * @throws UsageError with the reason if it cannot be created
 */
export function openDirectory(path: string): string {
  try {
    makeWithParents(path);
    return path;
  } catch (error) {
    const reason = fileReason(error, 'no such file or directory');
    throw new UsageError('cannot-write', `cannot create the directory "${path}": ${reason}`);
  }
}

/** Creates one directory at a time, because Node's recursive `mkdir` never returns in /proc. */
function makeWithParents(path: string): void {
  if (isDirectory(path)) return;
  makeWithParents(dirname(path));
  try {
    mkdirSync(path, PRIVATE.directory);
  } catch (error) {
    // Another run may have created it in the meantime.
    if (!isDirectory(path)) throw error;
  }
}

/**
 * Creates the directory of a run if it does not exist, and removes the files of earlier runs from it. So the reports of an
 * earlier run never stand beside the events of this run, even if this run is killed.
 * @throws UsageError with the reason if it cannot be created, or if a file cannot be removed
 */
export function beginRun(path: string): string {
  openDirectory(path);
  for (const name of readdirSync(path)) if (SEED.test(name)) removeSeed(join(path, name));
  removeRun(path);
  return path;
}

/** The directory of one run of several. @param out directory of all runs */
export function seedDirectory(out: string, seed: number): string {
  return join(out, `seed-${seed}`);
}

const SEED = /^seed-\d+$/;

/** Names of the tables over all runs. */
export const SEEDS_FILES = { json: 'seeds.json', csv: 'seeds.csv' } as const;

const DOWNLINKS_FILE = 'downlinks.csv';
export const EVENTS_FILE = 'events.jsonl';
const DATABASE_FILE = 'cloud.db';

/** Removes the directory of an earlier run unless a user has put other files into it. */
function removeSeed(path: string): void {
  if (!isDirectory(path)) return;
  removeRun(path);
  if (readdirSync(path).every((name) => name === `${DATABASE_FILE}-owner`)) rmSync(path, { recursive: true });
}

/** Removes the files that runs write, and symbolic links with their names. Pipes, devices and directories stay. */
function removeRun(path: string): void {
  const files = [...Object.values(REPORT_FILES), DOWNLINKS_FILE, EVENTS_FILE, ...Object.values(SEEDS_FILES)];
  for (const name of files) removing(join(path, name), (file) => isFileOrLink(file) && rmSync(file));
  removing(join(path, DATABASE_FILE), removeDatabase);
}

/** A link is one of them: writing through it would change a file elsewhere. */
function isFileOrLink(path: string): boolean {
  const there = lstatSync(path, { throwIfNoEntry: false });
  return there !== undefined && (there.isFile() || there.isSymbolicLink());
}

function removing(path: string, remove: (path: string) => void): void {
  try {
    remove(path);
  } catch (error) {
    throw cannotWrite(`"${path}"`, error);
  }
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
      writeWhole(path, pieces(), `the report "${path}"`);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      failed.push(error.message);
    }
  };
  for (const format of formats) write(REPORT_FILES[format], () => RENDERERS[format](result));
  if (downlinks !== undefined) write(DOWNLINKS_FILE, () => downlinksCsv(downlinks, result.names));
  if (failed.length > 0) throw new UsageError('cannot-write', failed.join('; '));
}
