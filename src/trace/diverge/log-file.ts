/** A text file that is read in chunks, forwards and backwards, from any line. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { UsageError } from '../../kernel/errors.js';
import { fileReason } from '../../kernel/system-errors.js';

const CHUNK_BYTES = 1024 * 1024;
/** Longest line, in bytes; an event has far fewer. */
const LONGEST_LINE = CHUNK_BYTES;
const LINE_FEED = 10;

export class LogFile {
  readonly path: string;
  #size: number;
  readonly #file: number;

  /** @throws UsageError when the file cannot be read */
  constructor(path: string) {
    this.path = path;
    // Without the second flag, opening a named pipe would wait for its writer.
    this.#file = attempt(path, () => openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)));
    this.#size = attempt(path, () => {
      const stat = fstatSync(this.#file);
      if (!stat.isFile()) throw new Error('not a regular file');
      return stat.size;
    });
  }

  /** Bytes that are read. */
  get size(): number {
    return this.#size;
  }

  /** Leaves out what follows the first `bytes`. */
  endAfter(bytes: number): void {
    this.#size = Math.min(this.#size, bytes);
  }

  close(): void {
    closeSync(this.#file);
  }

  /** At most `length` bytes from `offset` on; fewer at the end of the file. */
  readChunk(offset: number, length = CHUNK_BYTES): Buffer {
    const buffer = Buffer.allocUnsafe(Math.max(0, Math.min(length, this.size - offset)));
    let read = 0;
    while (read < buffer.length) {
      const got = attempt(this.path, () => readSync(this.#file, buffer, read, buffer.length - read, offset + read));
      if (got === 0) break;
      read += got;
    }
    return buffer.subarray(0, read);
  }

  /**
   * Yields the lines, without line feeds, that begin within `bytes` after `offset`.
   * @param offset where a line begins
   * @param number the number of this line, for messages
   * @throws UsageError for a line of more than 1 MiB
   */
  *lines(offset: number, bytes: number, number: number): Generator<string> {
    let rest = Buffer.alloc(0);
    let [start, line] = [offset, number];
    for (let next = offset; next < this.size; ) {
      const piece = this.readChunk(next);
      next += piece.length;
      if (piece.length === 0) return;
      // The rest is never longer than a line, so each byte is copied at most twice.
      rest = Buffer.concat([rest, piece]);
      let from = 0;
      for (let end = rest.indexOf(LINE_FEED); end >= 0; end = rest.indexOf(LINE_FEED, from)) {
        if (start - offset >= bytes) return;
        if (end - from > LONGEST_LINE) throw makeTooLongError(this.path, line);
        yield rest.toString('utf8', from, end);
        start += end + 1 - from;
        from = end + 1;
        line++;
      }
      rest = rest.subarray(from);
      if (rest.length > LONGEST_LINE) throw makeTooLongError(this.path, line);
    }
    if (rest.length > 0 && start - offset < bytes) yield rest.toString('utf8');
  }

  /**
   * Yields the lines before `offset`, last line first, but none that begins more than `bytes` before it.
   * @param offset where a line begins
   * @param number the number of this line, for messages
   * @throws UsageError for a line of more than 1 MiB
   */
  *linesBefore(offset: number, bytes: number, number: number): Generator<string> {
    let rest = Buffer.alloc(0);
    let line = number;
    const lowest = Math.max(0, offset - bytes);
    for (let next = offset; next > lowest; ) {
      const length = Math.min(CHUNK_BYTES, next - lowest);
      next -= length;
      rest = Buffer.concat([this.readChunk(next, length), rest]);
      // The last byte is the line feed of the last line.
      for (let feed = rest.lastIndexOf(LINE_FEED, -2); feed >= 0; feed = rest.lastIndexOf(LINE_FEED, -2)) {
        if (rest.length - feed - 2 > LONGEST_LINE) throw makeTooLongError(this.path, line - 1);
        yield rest.toString('utf8', feed + 1, rest.length - 1);
        rest = rest.subarray(0, feed + 1);
        line--;
      }
      if (rest.length > LONGEST_LINE + 1) throw makeTooLongError(this.path, line - 1);
    }
    if (lowest === 0 && rest.length > 0) yield rest.toString('utf8', 0, rest.length - 1);
  }
}

function makeTooLongError(path: string, line: number): UsageError {
  return new UsageError('bad-event-log', `${path}:${line}: not an event: the line is longer than 1 MiB`);
}

function attempt<T>(path: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw new UsageError('cannot-read', `cannot read "${path}": ${fileReason(error, 'file not found')}`);
  }
}
