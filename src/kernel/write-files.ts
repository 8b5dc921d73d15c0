/** Files that a command writes for the user. */
import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { UsageError } from './errors.js';
import { readBeginning } from './file-beginning.js';
import { createNew } from './private-file.js';
import { cannotWrite } from './system-errors.js';

/** Mode of a file that others may read, unless the umask forbids it. */
const SHARED = 0o666;
/** How long the reader of a pipe may read nothing, and the pause between attempts, in milliseconds. */
const [PATIENCE, PAUSE] = [10_000, 20];

/** A kind of file: what it is called in messages, and how its text begins. */
interface Kind {
  readonly what: string;
  readonly beginning: string;
}

/** The files that a command replaces if they have its own form. */
export const KINDS = {
  summary: { what: 'a summary', beginning: '### ' },
  page: { what: 'a page', beginning: '<!doctype html>' },
  recording: { what: 'a recording', beginning: '{"kind":"recording"' },
  fitted: { what: 'a fitted scenario', beginning: '# Fitted to ' },
  reduced: { what: 'a reduced scenario', beginning: '# Reduced by "ghostfleet shrink"' },
} as const satisfies Readonly<Record<string, Kind>>;

/**
 * Checks that a file can be written; call it before long work.
 * @param kind a file that is there must be of this kind, or empty: it could be the scenario. Default: any file is replaced
 * @param folder a directory that the work creates; the file may be in it
 * @throws UsageError if the file cannot be written
 */
export function reserve(path: string, kind?: Kind, folder = path): void {
  if (isSpecial(path) || (!existsSync(folder) && findRealPath(dirname(path)) === findRealPath(folder))) return;
  if (kind !== undefined && hasOtherContent(path, kind)) {
    throw new UsageError(
      'foreign-files',
      `"${path}" has other content than ${kind.what}, and would be replaced`,
      'choose another name',
    );
  }
  attempt(path, () => {
    // For a directory, the write fails with the system's reason.
    if (isDirectory(path)) writeFileSync(path, '');
    writePieces(partOf(path), ['']);
    rmSync(partOf(path));
  });
}

/**
 * Writes a file atomically: readers never see a part of it, and a failure leaves the file as it was.
 * @param pieces the text, or pieces of a long one
 * @param options `what`: the file in messages; default: its path in quotes. `mode`: its rights; default: others may read it
 * @throws UsageError when it cannot be written
 */
export function writeWhole(
  path: string,
  pieces: string | Iterable<string>,
  { what, mode }: { readonly what?: string; readonly mode?: number } = {},
): void {
  const all = typeof pieces === 'string' ? [pieces] : pieces;
  attempt(
    path,
    () => {
      if (isSpecial(path)) return writeSpecial(path, all);
      try {
        writePieces(partOf(path), all, mode);
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
 * Opens a file for {@link writeFully}: a pipe or a device as it is, in place of anything else a new file that only its owner may
 * read.
 */
export function openWhole(path: string): number {
  if (isSpecial(path)) return openSpecial(path);
  // For a directory, this fails with the system's reason.
  return isDirectory(path) ? openSync(path, 'w') : createNew(path);
}

/** Writes all bytes, also to a pipe whose reader is slow. */
export function writeFully(file: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) written += patiently(() => writeSync(file, bytes, written));
}

function hasOtherContent(path: string, { beginning }: Kind): boolean {
  if (!found(path)?.isFile()) return false;
  let text = '';
  attempt(path, () => {
    text = readBeginning(path, beginning.length).toString();
  });
  return text !== '' && text !== beginning;
}

function writeSpecial(path: string, pieces: Iterable<string>): void {
  const file = openSpecial(path);
  try {
    for (const piece of pieces) writeFully(file, Buffer.from(piece));
  } finally {
    closeSync(file);
  }
}

/** A system call that waits for the reader of a pipe could not be ended by a signal, so none waits. */
function openSpecial(path: string): number {
  // Windows has neither the flag nor named pipes that are files.
  return patiently(() => openSync(path, constants.O_WRONLY | (constants.O_NONBLOCK ?? 0)));
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

function writePieces(path: string, pieces: Iterable<string>, mode = SHARED): void {
  const file = createNew(path, mode);
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

/** The path without links, also of a file that does not exist yet. */
export function findRealPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const whole = resolve(path);
    return dirname(whole) === whole ? whole : join(findRealPath(dirname(whole)), basename(whole));
  }
}

/** Whether the path is a pipe, a socket, or a device such as `/dev/stdout`, which must not be replaced by a file. */
export function isSpecial(path: string): boolean {
  const there = found(path);
  return there !== undefined && !there.isDirectory() && (!there.isFile() || isOpenFile(path));
}

/** Whether the path is a named pipe. */
export function isPipe(path: string): boolean {
  return found(path)?.isFIFO() ?? false;
}

/** Whether the path is a link of the system to a file that a process has open: `/dev/stdout` may lead to one. */
function isOpenFile(path: string): boolean {
  return /^\/(dev|proc)\//.test(resolve(path)) && lstatSync(path).isSymbolicLink();
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

function attempt(path: string, action: () => void, what = `"${path}"`): void {
  try {
    action();
  } catch (error) {
    throw cannotWrite(what, error);
  }
}
