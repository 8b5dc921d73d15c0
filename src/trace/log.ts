/**
 * The trace of a run. It passes each event immediately to the folds, which compute the results. To the sinks, such as a file,
 * it passes the events in batches, as lines of JSON.
 *
 * All sinks receive the same text, so the digest is the SHA-256 of exactly the bytes in `events.jsonl`: `sha256sum
 * events.jsonl` verifies a run without this program.
 */
import type { Trace, TraceEvent } from './events.js';

/** A fold computes results from events as they happen. */
export interface Fold {
  take(event: TraceEvent): void;
}

/** Receives whole lines, each with a line feed at its end. */
export interface LineSink {
  write(lines: string): void;
  /** Called once, after the last line. */
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

  get events(): number {
    return this.#events;
  }

  /**
   * Adds an event. Events after `close` are discarded: devices still emit some while the runner switches them off.
   * @param line JSON of the event, if it is known
   */
  emit(event: TraceEvent, line?: string): void {
    if (this.#closed) return;
    this.#events++;
    for (const fold of this.#folds) fold.take(event);
    if (this.#sinks.length === 0) return;
    this.#batch += `${line ?? JSON.stringify(event)}\n`;
    if (this.#batch.length >= BATCH_CHARACTERS) this.flush();
  }

  /** Writes the lines that are still buffered. */
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
