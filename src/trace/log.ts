/**
 * The trace of a run: every event goes to the folds at once, and as a line of JSON, in batches, to whoever wants text.
 *
 * The line is made once and shared: the digest is taken over exactly the bytes that `events.jsonl` holds, so
 * `sha256sum events.jsonl` checks a run without this program.
 */
import type { Trace, TraceEvent } from './events.js';

/** Takes events as they happen. */
export interface Fold {
  take(event: TraceEvent): void;
}

/** Takes text: whole lines, each ended by a line feed. */
export interface LineSink {
  write(lines: string): void;
  /** No more lines will come. */
  close(): void;
}

const BATCH_CHARACTERS = 65_536;

export class TraceLog implements Trace {
  readonly #folds: readonly Fold[];
  readonly #sinks: readonly LineSink[];
  #batch = '';
  #events = 0;
  #closed = false;

  constructor(folds: readonly Fold[], sinks: readonly LineSink[] = []) {
    this.#folds = folds;
    this.#sinks = sinks;
  }

  /** Events so far. */
  get events(): number {
    return this.#events;
  }

  /** After the end of the trace, events are dropped: devices that are being switched off have nothing more to say. */
  emit(event: TraceEvent): void {
    if (this.#closed) return;
    this.#events++;
    for (const fold of this.#folds) fold.take(event);
    if (this.#sinks.length === 0) return;
    this.#batch += `${JSON.stringify(event)}\n`;
    if (this.#batch.length >= BATCH_CHARACTERS) this.flush();
  }

  /** Hands over the lines that still wait for their batch. */
  flush(): void {
    if (this.#batch === '') return;
    const lines = this.#batch;
    this.#batch = '';
    for (const sink of this.#sinks) sink.write(lines);
  }

  /** Flushes and closes the sinks. */
  close(): void {
    this.#closed = true;
    try {
      this.flush();
    } finally {
      for (const sink of this.#sinks) sink.close();
    }
  }
}
