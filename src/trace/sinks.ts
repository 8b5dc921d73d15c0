/** Destinations of the lines of a trace: a digest and a file. */
import { createHash } from 'node:crypto';
import { AppendedFile } from '../kernel/appended-file.js';
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

/** Writes a file, `events.jsonl`; the trace passes lines in batches of 64 kB, which make the cost small. */
export class FileSink extends AppendedFile implements LineSink {
  /** Creates the file, in place of an existing one. @throws UsageError when it cannot be written */
  constructor(path: string) {
    super(path, `the event log "${path}"`);
  }
}
