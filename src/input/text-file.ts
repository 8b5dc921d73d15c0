/** Reads a user's file. The size is limited, because a scenario by an untrusted author may name any file. */
import { isUtf8 } from 'node:buffer';
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { UsageError } from '../kernel/errors.js';
import { fileReason } from '../kernel/system-errors.js';

/** The text of a file, and its name for messages. */
export interface NamedText {
  readonly file: string;
  readonly text: string;
}

const MIB = 1024 * 1024;
/** Maximum size in bytes of a file that the user names, such as a recording. */
const LARGEST = 256 * MIB;
/** Maximum size in bytes of a file that a scenario names. */
const LARGEST_NAMED = 64 * MIB;

/** Reads a file. @throws UsageError if it cannot be read, is too large or is not UTF-8 text */
export function readText(path: string, largest = LARGEST): string {
  return textOf(bytesOf(path, 0, largest), path);
}

/** Reads a file by its path relative to `folder`. @throws UsageError like {@link readText} */
export function readBeside(folder: string, name: string): NamedText {
  const file = isAbsolute(name) ? name : join(folder, name);
  return { file, text: readText(file) };
}

/**
 * Reads a file that a scenario names. It must be a regular file in the folder of the scenario or below, also after symbolic
 * links are resolved.
 * @param allowed files elsewhere that the user has permitted
 * @throws UsageError like {@link readText}; with the code `outside` if the file is neither in the folder nor in `allowed`
 */
export function readInside(folder: string, name: string, allowed: readonly string[] = []): NamedText {
  const file = isAbsolute(name) ? name : join(folder, name);
  // Checked before anything is opened: a message must not reveal whether a file elsewhere exists.
  if (!isBelow(resolve(folder), resolve(file)) && !isAllowed(file, allowed)) throw outside(name);
  const real = realPath(file);
  if (!isBelow(realPath(folder), real) && !isAllowed(real, allowed)) throw outside(name);
  return { file, text: textOf(regularBytesOf(file, LARGEST_NAMED), file) };
}

/** Reads a file in the folder of a run. A named pipe is rejected, because the folder may be of another author. @throws UsageError */
export function readRegular(path: string): string {
  return textOf(regularBytesOf(path, LARGEST), path);
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
  // Without this flag, opening a named pipe would wait for its writer.
  return bytesOf(path, constants.O_NONBLOCK ?? 0, largest, true);
}

function bytesOf(path: string, flags: number, largest: number, regular = false): Buffer {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | flags);
    const stat = fstatSync(file);
    if (regular && stat.isFile() === false && !stat.isDirectory()) throw unreadable(path, 'it is not a regular file');
    return readUpTo(file, stat.size, largest, path);
  } catch (error) {
    throw error instanceof UsageError ? error : unreadable(path, fileReason(error, 'the file does not exist'));
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Reads to the end. The size of a pipe or a device is not known beforehand. */
function readUpTo(file: number, size: number, largest: number, path: string): Buffer {
  const parts: Buffer[] = [];
  for (let total = 0; ; ) {
    if (Math.max(total, size) > largest) throw unreadable(path, `it is larger than ${largest / MIB} MiB`);
    const part = Buffer.allocUnsafe(Math.max(65_536, size - total + 1));
    const read = readSync(file, part);
    if (read === 0) return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
    parts.push(part.subarray(0, read));
    total += read;
  }
}

function textOf(bytes: Buffer, path: string): string {
  if (isUtf8(bytes) && !bytes.includes(0)) return bytes.toString('utf8');
  throw unreadable(path, 'it is not UTF-8 text');
}

function unreadable(path: string, reason: string): UsageError {
  return new UsageError('cannot-read', `"${path}" cannot be read: ${reason}`);
}
