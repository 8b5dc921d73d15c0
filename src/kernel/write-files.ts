/** Files that a command writes for the user. */
import { renameSync, rmSync, type Stats, statSync, writeFileSync } from 'node:fs';
import { cannotWrite } from './file-failure.js';

/** Checks that a file can be written; call it before long work. @throws UsageError if the file cannot be written */
export function reserve(path: string): void {
  if (isSpecial(path)) return;
  attempt(path, () => {
    // For a directory, the write fails with the system's reason.
    if (isDirectory(path)) writeFileSync(path, '');
    writeFileSync(partOf(path), '');
    rmSync(partOf(path));
  });
}

/** Writes a file atomically: readers never see a part of it. @throws UsageError when it cannot be written */
export function writeWhole(path: string, text: string): void {
  attempt(path, () => {
    if (isSpecial(path)) return writeFileSync(path, text);
    writeFileSync(partOf(path), text);
    renameSync(partOf(path), path);
  });
}

export function isDirectory(path: string): boolean {
  return found(path)?.isDirectory() ?? false;
}

/** Whether the path is a pipe or a device such as `/dev/stdout`, which must not be replaced by a file. */
function isSpecial(path: string): boolean {
  const there = found(path);
  return there !== undefined && !there.isFile() && !there.isDirectory();
}

/** Undefined if nothing exists there or it cannot be inspected. */
function found(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

function partOf(path: string): string {
  return `${path}.part`;
}

function attempt(path: string, action: () => void): void {
  try {
    action();
  } catch (error) {
    throw cannotWrite(`"${path}"`, error);
  }
}
