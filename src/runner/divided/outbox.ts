/** Collects the events of a part of a run, and sends them in batches of limited size and delay. */
import type { Alarm, Clock } from '../../kernel/clock.js';
import type { Instant, Millis } from '../../kernel/time.js';
import type { Trace } from '../../trace/events.js';
import { TraceLog } from '../../trace/log.js';
import type { PartChannel } from './channel.js';

/** A batch that reaches this number of characters is sent at once. */
const LARGEST = 262_144;

export class Outbox {
  readonly #channel: Pick<PartChannel, 'send'>;
  readonly #now: () => Instant;
  readonly #log = new TraceLog([], [{ write: (lines) => this.#add(lines), close: () => {} }]);
  readonly #time: Clock;
  readonly #every: Millis;
  #next: Alarm | undefined;
  #lines: string[] = [];
  #size = 0;

  /** @param time real time @param now time of the run @param every real time between two batches */
  constructor(channel: Pick<PartChannel, 'send'>, time: Clock, now: () => Instant, every: Millis) {
    this.#channel = channel;
    this.#time = time;
    this.#now = now;
    this.#every = every;
    this.#wait();
  }

  get trace(): Trace {
    return this.#log;
  }

  /** Sends the last events. Later ones are discarded. */
  close(): void {
    this.#next?.cancel();
    this.#log.close();
    this.#send();
  }

  #wait(): void {
    this.#next = this.#time.after(this.#every, 'the next batch of events', () => {
      this.#send();
      this.#wait();
    });
  }

  #add(lines: string): void {
    this.#lines.push(lines);
    this.#size += lines.length;
    if (this.#size >= LARGEST) this.#send();
  }

  #send(): void {
    this.#log.flush();
    const until = this.#now();
    if (until === 0 && this.#size === 0) return;
    const lines = this.#lines.join('');
    this.#lines = [];
    this.#size = 0;
    this.#channel.send({ kind: 'events', lines, until });
  }
}
