/** The files of a database, and the mark of a database that only a run has used. */
import { closeSync, existsSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { createNew } from '../../../kernel/private-file.js';
import { lockFile } from './file-lock.js';
import { readTail } from './tail.mjs';

const LOCK = '-owner';

/** The paths of a database and of all files beside it. */
export function filesOf(path: string): readonly string[] {
  return ['', '-wal', '-shm', '-tail', '-key', '-run', LOCK].map((suffix) => path + suffix);
}

/** Removes a database and its files but `<path>-owner`: a second service could open the next database beside the first. */
export function removeDatabase(path: string): void {
  for (const file of filesOf(path)) if (!file.endsWith(LOCK)) rmSync(file, { force: true });
}

/** Marks a new database as that of a run, which the next run in its folder may remove. @param lineage see tail.mjs */
export function markOfRun(path: string, lineage: string): void {
  const file = createNew(`${path}-run`);
  writeSync(file, `${lineage}\n`);
  closeSync(file);
}

/** Removes the mark: a service has opened the database, so it may contain data of users. */
export function removeMark(path: string): void {
  rmSync(`${path}-run`, { force: true });
}

/** Why the existing database must not be removed; undefined if only an ended run has used it. Changes nothing. */
export function keptBecause(path: string): string | undefined {
  const mark = markIn(path);
  // A run that was killed at its start has left a database without commits, and so without a tail.
  if (mark === undefined || (readTail(path)?.lineage ?? mark) !== mark) return 'is not only the database of a run';
  return isOpen(path) ? 'is in use by another process' : undefined;
}

function markIn(path: string): string | undefined {
  try {
    return readFileSync(`${path}-run`, 'utf8').trim();
  } catch {
    return undefined;
  }
}

/** Whether a process has locked the lock file (open.ts). */
function isOpen(path: string): boolean {
  if (!existsSync(`${path}-owner`)) return false;
  const release = lockFile(`${path}-owner`);
  release?.();
  return release === undefined;
}
