/** Files that a command writes for the user. */
import {
  closeSync,
  constants,
  openSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { UsageError } from './errors.js';
import { cannotWrite } from './system-errors.js';

/** How long the reader of a pipe may read nothing, and the pause between attempts, in milliseconds. */
const [PATIENCE, PAUSE] = [10_000, 20];

/** Checks that a file can be written; call it before long work. @throws UsageError if the file cannot be written */
export function reserve(path: string): void {
  if (isSpecial(path)) return;
  attempt(path, () => {
    // For a directory, the write fails with the system's reason.
    if (isDirectory(path)) writeFileSync(path, '');
    writePieces(newPartOf(path), ['']);
    rmSync(partOf(path));
  });
}

/**
 * Writes a file atomically: readers never see a part of it, and a failure leaves the file as it was.
 * @param pieces the text, or pieces of a long one
 * @param what the file in messages. Default: its path in quotes
 * @throws UsageError when it cannot be written
 */
export function writeWhole(path: string, pieces: string | Iterable<string>, what?: string): void {
  const all = typeof pieces === 'string' ? [pieces] : pieces;
  attempt(
    path,
    () => {
      if (isSpecial(path)) return writeSpecial(path, all);
      try {
        writePieces(newPartOf(path), all);
        renameSync(partOf(path), path);
      } catch (error) {
        rmSync(partOf(path), { force: true });
        throw error;
      }
    },
    what,
  );
}

/**
 * Writes to a pipe or a device. A system call that waits for the reader of a pipe could not be ended by a signal, so none waits.
 */
function writeSpecial(path: string, pieces: Iterable<string>): void {
  // Windows has neither the flag nor named pipes that are files.
  const file = patiently(() => openSync(path, constants.O_WRONLY | (constants.O_NONBLOCK ?? 0)));
  try {
    for (const piece of pieces) {
      const bytes = Buffer.from(piece);
      for (let written = 0; written < bytes.length; ) written += patiently(() => writeSync(file, bytes, written));
    }
  } finally {
    closeSync(file);
  }
}

/** Repeats an action while a pipe has no reader, or is full. @throws UsageError after {@link PATIENCE} */
function patiently<T>(action: () => T): T {
  for (let waited = 0; ; waited += PAUSE) {
    try {
      return action();
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (code !== 'ENXIO' && code !== 'EAGAIN') throw error;
      if (waited >= PATIENCE) throw new UsageError('cannot-write', 'no program reads from the pipe');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE);
    }
  }
}

function writePieces(path: string, pieces: Iterable<string>): void {
  const file = openSync(path, 'wx');
  try {
    // Unlike a single writeSync, this writes the whole piece even if the system takes only a part of it at once.
    for (const piece of pieces) writeFileSync(file, piece);
  } finally {
    closeSync(file);
  }
}

/** Whether something exists there. Unlike `existsSync`, it throws the error of the system if this cannot be known. */
export function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

export function isDirectory(path: string): boolean {
  return found(path)?.isDirectory() ?? false;
}

/** Whether the path is a pipe, a socket, or a device such as `/dev/stdout`, which must not be replaced by a file. */
export function isSpecial(path: string): boolean {
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

/** Removes what an earlier write has left: it could be a link to a file elsewhere. */
function newPartOf(path: string): string {
  rmSync(partOf(path), { force: true });
  return partOf(path);
}

function attempt(path: string, action: () => void, what = `"${path}"`): void {
  try {
    action();
  } catch (error) {
    throw cannotWrite(what, error);
  }
}
