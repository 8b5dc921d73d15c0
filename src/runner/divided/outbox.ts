/** Collects the events of a part of a run, and sends them in batches. */
import type { Alarm, Clock } from '../../kernel/clock.js';
import type { Instant, Millis } from '../../kernel/time.js';
import type { Trace } from '../../trace/events.js';
import { TraceLog } from '../../trace/log.js';
import type { PartChannel } from './channel.js';

/** Batches that are sent at intervals of real time. */
interface Batches {
  readonly time: Clock;
  readonly every: Millis;
}

/** With {@link Batches}, a batch that reaches this number of characters is sent at once. */
const LARGEST = 262_144;

export class Outbox {
  readonly #channel: Pick<PartChannel, 'send'>;
  readonly #now: () => Instant;
  readonly #log = new TraceLog([], [{ write: (lines) => this.#add(lines), close: () => {} }]);
  readonly #batches: Batches | undefined;
  #next: Alarm | undefined;
  #lines: string[] = [];
  #size = 0;

  /**
   * @param now time of the run
   * @param batches default: events are sent only by {@link send} and {@link close}
   */
  constructor(channel: Pick<PartChannel, 'send'>, now: () => Instant, batches?: Batches) {
    this.#channel = channel;
    this.#now = now;
    this.#batches = batches;
    this.#wait();
  }

  get trace(): Trace {
    return this.#log;
  }

  /** Sends the events since the last call. */
  send(): void {
    this.#log.flush();
    const until = this.#now();
    if (until === 0 && this.#size === 0) return;
    const lines = this.#lines.join('');
    this.#lines = [];
    this.#size = 0;
    this.#channel.send({ kind: 'events', lines, until });
  }

  /** Sends the last events. Later ones are discarded. */
  close(): void {
    this.#next?.cancel();
    this.#log.close();
    this.send();
  }

  #wait(): void {
    this.#next = this.#batches?.time.after(this.#batches.every, 'the next batch of events', () => {
      this.send();
      this.#wait();
    });
  }

  #add(lines: string): void {
    this.#lines.push(lines);
    this.#size += lines.length;
    if (this.#batches !== undefined && this.#size >= LARGEST) this.send();
  }
}
