/** Destinations of the lines of a trace: a digest and a file. */
import { createHash } from 'node:crypto';
import { closeSync, openSync, writeSync } from 'node:fs';
import type { UsageError } from '../kernel/errors.js';
import { PRIVATE } from '../kernel/private-file.js';
import { cannotWrite } from '../kernel/system-errors.js';
import type { LineSink } from './log.js';

/** SHA-256 over all lines: two runs with the same digest had the same events. */
export class DigestSink implements LineSink {
  readonly #hash = createHash('sha256');
  #digest: string | undefined;

  write(lines: string): void {
    this.#hash.update(lines);
  }

  close(): void {
    this.#digest ??= this.#hash.digest('hex');
  }

  /** 64 lower-case hex digits. @throws Error before the sink is closed */
  get full(): string {
    if (this.#digest === undefined) throw new Error('the digest is not available before the trace is closed');
    return this.#digest;
  }

  /** The first 16 hex digits: enough to compare by eye. */
  get short(): string {
    return this.full.slice(0, 16);
  }
}

/**
 * Writes a file, `events.jsonl`. Writes are synchronous: a simulation seldom gives the event loop a turn, so a stream would
 * have to buffer a large part of the trace. Batches of 64 kB make the cost small. After a failed write, every further write and
 * `close` throw the same error, because the caller of the failed write may be unable to report it.
 */
export class FileSink implements LineSink {
  readonly #path: string;
  #file: number | undefined;
  #failure: UsageError | undefined;

  /** Truncates the file or creates it. @throws UsageError when it cannot be written */
  constructor(path: string) {
    this.#path = path;
    this.#file = this.#attempt(() => openSync(path, 'w', PRIVATE.file));
  }

  write(lines: string): void {
    if (this.#failure) throw this.#failure;
    const file = this.#file;
    if (file === undefined) return;
    const bytes = Buffer.from(lines);
    this.#attempt(() => {
      // A write may be partial (a pipe, a disk that is nearly full).
      for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
    });
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    if (this.#failure) throw this.#failure;
  }

  #attempt<T>(action: () => T): T {
    try {
      return action();
    } catch (error) {
      this.#failure = cannotWrite(`the event log "${this.#path}"`, error);
      throw this.#failure;
    }
  }
}
