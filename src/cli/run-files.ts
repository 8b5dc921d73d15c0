/** What a run leaves in its directory, beside the events that were written while it went on. */
import { closeSync, mkdirSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UsageError } from '../kernel/errors.js';
import { cannotWrite, fileReason } from '../kernel/file-failure.js';
import { downlinksCsv } from '../report/renderers/csv.js';
import { REPORT_FILES } from '../report/renderers/index.js';
import type { RunResult } from '../report/result.js';
import type { DownlinkRecord } from '../trace/downlinks/ledger.js';
import { isDirectory } from './write-files.js';

/** Makes the directory, unless it is there. @throws UsageError that says why it cannot be made */
export function openDirectory(path: string): string {
  try {
    makeWithParents(path);
    return path;
  } catch (error) {
    const reason = fileReason(error, 'there is no place for it');
    throw new UsageError('cannot-write', `the directory "${path}" cannot be made: ${reason}`);
  }
}

/** One directory at a time, because in /proc Node's own way to make all of them never ends. */
function makeWithParents(path: string): void {
  if (isDirectory(path)) return;
  makeWithParents(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    // Another run may have made it meanwhile.
    if (!isDirectory(path)) throw error;
  }
}

/**
 * The path of a database in the directory: of an earlier one nothing is left, because every run begins with an empty cloud.
 * @throws UsageError when it cannot be removed
 */
export function newDatabase(out: string): string {
  const path = join(out, 'cloud.db');
  try {
    for (const file of [path, `${path}-wal`, `${path}-shm`]) rmSync(file, { force: true });
  } catch (error) {
    throw cannotWrite(`"${path}"`, error);
  }
  return path;
}

/** @throws UsageError when a file cannot be written */
export function writeReports(out: string, result: RunResult, downlinks: Iterable<DownlinkRecord>): void {
  try {
    for (const [name, render] of Object.entries(REPORT_FILES)) writeFileSync(join(out, name), render(result));
    writePieces(join(out, 'downlinks.csv'), downlinksCsv(downlinks, result.names));
  } catch (error) {
    throw cannotWrite(`the reports in "${out}"`, error);
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
