/** Files that a command writes for the user. */
import { renameSync, rmSync, type Stats, statSync, writeFileSync } from 'node:fs';
import { cannotWrite } from '../kernel/file-failure.js';

/** Says now, and not after an hour of work, that a file cannot be written. @throws UsageError */
export function reserve(path: string): void {
  if (isSpecial(path)) return;
  attempt(path, () => {
    // Fails, and says why.
    if (isDirectory(path)) writeFileSync(path, '');
    writeFileSync(partOf(path), '');
    rmSync(partOf(path));
  });
}

/** Nobody ever sees half a file. @throws UsageError when it cannot be written */
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

/** A pipe or a device, which a file must not take the place of: `/dev/stdout`. */
function isSpecial(path: string): boolean {
  const there = found(path);
  return there !== undefined && !there.isFile() && !there.isDirectory();
}

/** What is there; undefined: nothing, or nothing that can be looked at. */
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
