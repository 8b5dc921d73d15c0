/** Reads a user's file. The size is limited, because a scenario by an untrusted author may name any file. */
import { isUtf8 } from 'node:buffer';
import {
  closeSync,
  constants,
  createReadStream,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  realpathSync,
} from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { UsageError } from '../kernel/errors.js';
import { findTilde } from '../kernel/home-path.js';
import { fileReason } from '../kernel/system-errors.js';
import { isSpecial } from '../kernel/write-files.js';

/** The first bytes of an SQLite database. */
const SQLITE = Buffer.from('SQLite format 3\0');
const DATABASE =
  'it is an SQLite database; use the folder of the run, or for a service, what "ghostfleet record" writes';

/** The text of a file, and its name for messages. */
export interface NamedText {
  readonly file: string;
  readonly text: string;
  /** The path behind symbolic links, if the reader has found it out: two names of a file have the same. */
  readonly real?: string;
}

const MIB = 1024 * 1024;
/** Maximum size in bytes of a file that the user names, such as a recording. */
const LARGEST = 256 * MIB;
/** Maximum size in bytes of a file that a scenario names. */
const LARGEST_NAMED = 64 * MIB;

/**
 * Reads a file that the user names on the command line, also a named pipe or a device such as `/dev/stdin`. Another thread
 * waits for a pipe, so signals end the wait.
 * @throws UsageError if it cannot be read, is too large or is not UTF-8 text
 */
export async function readText(path: string, largest = LARGEST): Promise<string> {
  if (!isSpecial(path)) return textOf(regularBytesOf(path, largest), path);
  const parts: Buffer[] = [];
  let total = 0;
  try {
    for await (const part of createReadStream(path)) {
      total += part.length;
      if (total > largest) throw tooLarge(path, largest);
      parts.push(part);
    }
  } catch (error) {
    throw unreadableBecause(path, error);
  }
  return textOf(Buffer.concat(parts), path);
}

/**
 * Reads a file that a scenario names. It must be a regular file in the folder of the scenario or below, also after symbolic
 * links are resolved.
 * @param allowed files elsewhere that the user has permitted
 * @throws UsageError like {@link readText}; with the code `outside` if the file is neither in the folder nor in `allowed`
 */
export function readInside(folder: string, name: string, allowed: readonly string[] = []): NamedText {
  checkTilde(name);
  const file = isAbsolute(name) ? name : join(folder, name);
  // Checked before anything is opened: a message must not reveal whether a file elsewhere exists.
  if (!isBelow(resolve(folder), resolve(file)) && !isAllowed(file, allowed)) throw outside(name);
  const real = realPath(file);
  if (!isBelow(realPath(folder), real) && !isAllowed(real, allowed)) throw outside(name);
  return { file, text: textOf(regularBytesOf(file, LARGEST_NAMED), file), real };
}

/**
 * A function that reads the files of a scenario with {@link readInside}, each once. All together have the limit of one file: they
 * stay in memory with what is read from them.
 * @param known the files that are already read, by the names in the scenario
 */
export function readerInside(
  folder: string,
  allowed: readonly string[] = [],
  known = new Map<string, NamedText>(),
): (name: string) => NamedText {
  return (name) => {
    const before = known.get(name);
    if (before !== undefined) return before;
    const read = readInside(folder, name, allowed);
    const others = [...new Set(known.values())];
    const same = others.find(({ real }) => real === read.real);
    const total = [read, ...others].reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
    if (same === undefined && total > LARGEST_NAMED) {
      throw unreadable(read.file, `the files of the scenario are together larger than ${LARGEST_NAMED / MIB} MiB`);
    }
    known.set(name, same ?? read);
    return same ?? read;
  };
}

/**
 * The path of a file or folder in `folder` or below, also after symbolic links are resolved. It need not exist.
 * @param folder an absolute path
 * @param complaint what is wrong with another name: `is not in the folder of the server`
 * @throws UsageError with the code `outside` for another name
 */
export function pathInside(folder: string, name: string, complaint: string): string {
  checkTilde(name);
  const path = resolve(folder, name);
  let there = path;
  while (isBelow(folder, there) && !existsSync(there)) there = dirname(there);
  if (isBelow(folder, there) && isBelow(realPath(folder), realPath(there))) return path;
  throw new UsageError('outside', `"${name}" ${complaint}`);
}

/**
 * Reads a file that is named by a program, a console or another file, such as those in the folder of a run. A named pipe is
 * rejected: to wait for its writer would stop everything, and its author may be another one.
 * @throws UsageError like {@link readText}
 */
export function readRegular(path: string): string {
  return textOf(regularBytesOf(path, LARGEST), path);
}

/** {@link readRegular}, with the path as its name. */
export function readNamed(path: string): NamedText {
  return { file: path, text: readRegular(path) };
}

/** @throws UsageError `outside` for a name that begins with `~` */
function checkTilde(name: string): void {
  const wrong = findTilde(name);
  if (wrong !== undefined) throw new UsageError('outside', wrong);
}

function isBelow(folder: string, file: string): boolean {
  const path = relative(folder, file);
  return path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path);
}

function isAllowed(file: string, allowed: readonly string[]): boolean {
  return allowed.some((path) => resolve(path) === resolve(file) || realPath(path) === resolve(file));
}

function outside(name: string): UsageError {
  const remedy = 'if you trust the scenario, permit this file with --allow-file (in a program: the option allowFiles)';
  return new UsageError('outside', `"${name}" is not in the folder of the scenario; ${remedy}`);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    throw unreadable(path, fileReason(error, 'the file does not exist'));
  }
}

function regularBytesOf(path: string, largest: number): Buffer {
  let file: number | undefined;
  try {
    // Without the second flag, opening a named pipe would wait for its writer.
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stat = fstatSync(file);
    if (!stat.isFile() && !stat.isDirectory()) throw unreadable(path, 'it is not a regular file');
    if (stat.size > largest) throw tooLarge(path, largest);
    return readUpTo(file, stat.size, largest, path);
  } catch (error) {
    throw unreadableBecause(path, error);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Reads to the end. The size of a file in `/proc` is 0, and a file may grow. */
function readUpTo(file: number, size: number, largest: number, path: string): Buffer {
  const parts: Buffer[] = [];
  for (let total = 0; ; ) {
    if (total > largest) throw tooLarge(path, largest);
    const part = Buffer.allocUnsafe(Math.max(65_536, size - total + 1));
    const read = readSync(file, part);
    if (read === 0) return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
    parts.push(part.subarray(0, read));
    total += read;
  }
}

function textOf(bytes: Buffer, path: string): string {
  if (isUtf8(bytes) && !bytes.includes(0)) return bytes.toString('utf8');
  throw unreadable(path, bytes.subarray(0, SQLITE.length).equals(SQLITE) ? DATABASE : 'it is not UTF-8 text');
}

function unreadable(path: string, reason: string): UsageError {
  return new UsageError('cannot-read', `"${path}" cannot be read: ${reason}`);
}

function unreadableBecause(path: string, error: unknown): UsageError {
  return error instanceof UsageError ? error : unreadable(path, fileReason(error, 'the file does not exist'));
}

function tooLarge(path: string, largest: number): UsageError {
  return unreadable(path, `it is larger than ${largest / MIB} MiB`);
}
