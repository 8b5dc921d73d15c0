/** Files of a run in its directory, other than the event log, which is written during the run. */
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { removeDatabase } from '../cloud/store/sqlite/files.js';
import { UsageError } from '../kernel/errors.js';
import { cannotWrite, fileReason } from '../kernel/file-failure.js';
import { PRIVATE } from '../kernel/private-file.js';
import { isDirectory } from '../kernel/write-files.js';
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
 * The path of the database in the directory. Deletes the database of an earlier run, because a run begins with an empty cloud.
 * @throws UsageError when it cannot be removed
 */
export function newDatabase(out: string): string {
  const path = join(out, 'cloud.db');
  try {
    removeDatabase(path);
  } catch (error) {
    throw cannotWrite(`"${path}"`, error);
  }
  return path;
}

/** Writes all reports and the table of downlinks. @throws UsageError when a file cannot be written */
export function writeReports(out: string, result: RunResult, downlinks: Iterable<DownlinkRecord>): void {
  for (const format of REPORT_FORMATS) writeReport(out, format, result);
  writeDownlinks(out, result, downlinks);
}

/** Writes the table of downlinks. @throws UsageError when it cannot be written */
export function writeDownlinks(out: string, result: RunResult, downlinks: Iterable<DownlinkRecord>): void {
  attempt(join(out, 'downlinks.csv'), (path) => writePieces(path, downlinksCsv(downlinks, result.names)));
}

/** Writes one of the reports. @throws UsageError when it cannot be written */
export function writeReport(out: string, format: ReportFormat, result: RunResult): void {
  attempt(join(out, REPORT_FILES[format]), (path) => writeFileSync(path, RENDERERS[format](result)));
}

function attempt(path: string, write: (path: string) => void): void {
  try {
    write(path);
  } catch (error) {
    throw cannotWrite(`the report "${path}"`, error);
  }
}

function writePieces(path: string, pieces: Iterable<string>): void {
  const file = openSync(path, 'w');
  try {
    for (const piece of pieces) writeSync(file, piece);
  } finally {
    closeSync(file);
  }
}
