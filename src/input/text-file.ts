/** Reads a user's file. */
import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { UsageError } from '../kernel/errors.js';
import { fileReason } from '../kernel/file-failure.js';

/** The text of a file, and its name for messages. */
export interface NamedText {
  readonly file: string;
  readonly text: string;
}

/** Reads a file. @throws UsageError if it cannot be read or is not UTF-8 text */
export function readText(path: string): string {
  const bytes = bytesOf(path);
  if (isUtf8(bytes) && !bytes.includes(0)) return bytes.toString('utf8');
  throw unreadable(path, 'it is not UTF-8 text');
}

/** Reads a file by its path relative to `folder`. @throws UsageError like {@link readText} */
export function readBeside(folder: string, name: string): NamedText {
  const file = isAbsolute(name) ? name : join(folder, name);
  return { file, text: readText(file) };
}

function bytesOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw unreadable(path, fileReason(error, 'the file does not exist'));
  }
}

function unreadable(path: string, reason: string): UsageError {
  return new UsageError('cannot-read', `"${path}" cannot be read: ${reason}`);
}
