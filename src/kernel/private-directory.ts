/** Directories that only the user who runs the program may use, whatever the umask is. */
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { UsageError } from './errors.js';
import { PRIVATE } from './private-file.js';
import { fileReason } from './system-errors.js';
import { isDirectory } from './write-files.js';

/**
 * Creates a directory and its parents, one at a time, because Node's recursive `mkdir` never returns in /proc.
 * @throws the error of the file system
 */
export function makePrivateDirectory(path: string): void {
  if (isDirectory(path)) return;
  if (dirname(path) !== path) makePrivateDirectory(dirname(path));
  try {
    mkdirSync(path, PRIVATE.directory);
  } catch (error) {
    // Another run may have created it in the meantime.
    if (!isDirectory(path)) throw error;
  }
}

/** @throws UsageError if the directory for temporary files does not exist or cannot be written */
export function makeTemporaryDirectory(prefix: string): string {
  const parent = tmpdir();
  try {
    return mkdtempSync(join(parent, prefix));
  } catch (error) {
    throw new UsageError(
      'cannot-write',
      `cannot create a directory for temporary files in "${parent}": ${fileReason(error, 'no such directory')}`,
      'set TMPDIR to a directory that exists and that you may write',
    );
  }
}
