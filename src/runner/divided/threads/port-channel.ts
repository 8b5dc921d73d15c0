/** A channel through the message port between two threads of this process. */
import type { Alarm } from '../../../kernel/clock.js';
import { RealClock } from '../../../kernel/real-clock.js';
import { realTimers } from '../../../kernel/real-timers.js';
import { type Millis, seconds } from '../../../kernel/time.js';
import { type Channel, Inbox } from '../channel.js';

/** The methods of a `MessagePort` or a `Worker` that a channel uses. */
interface Port {
  postMessage(message: unknown): void;
  on(event: 'message', listener: (message: unknown) => void): unknown;
}

/** The sign of life. It is not passed on to the reader of the channel. */
const BEAT = 'alive';
/** Real time between two signs of life, and how many may be missing. */
const BEATS = { every: seconds(1), most: 30 };

export class PortChannel<Out, In> implements Channel<Out, In> {
  readonly #port: Port;
  readonly #inbox = new Inbox<In>();
  readonly #end: () => void;
  readonly #time = new RealClock();
  #alarm: Alarm | undefined;
  /** Number of signs of life that were due since the last message. */
  #missing = 0;

  /** @param end called when this end is closed */
  constructor(port: Port, end: () => void) {
    this.#port = port;
    this.#end = end;
    // The cast is safe because the other end sends only messages of type `In`.
    port.on('message', (message) => {
      this.#missing = 0;
      if (message !== BEAT) this.#inbox.push(message as In);
    });
  }

  /** Sends a sign of life from now on. */
  beat(every: Millis = BEATS.every): void {
    this.#repeat(every, 'a sign of life', () => this.#port.postMessage(BEAT));
  }

  /** Counts the other end as lost if its signs of life are missing: a thread in an endless loop sends none. */
  expectBeats({ every, most } = BEATS): void {
    // Missing signs are counted, because a measured time would include a suspension of the whole process.
    this.#repeat(every, 'the next sign of life', () => {
      if (++this.#missing > most) this.lose(`its thread has not answered for ${(every * most) / 1000} s`);
    });
  }

  #repeat(every: Millis, what: string, act: () => void): void {
    this.#alarm = this.#time.after(every, what, () => {
      this.#repeat(every, what, act);
      act();
    });
  }

  send(message: Out): void {
    this.#port.postMessage(message);
  }

  next(): Promise<In> {
    return this.#inbox.next();
  }

  sharedNow(): Promise<Millis> {
    return Promise.resolve(sharedNow());
  }

  /** Ends the connection because the other end is gone. @param why the reason as a clause */
  lose(why: string): void {
    this.#alarm?.cancel();
    this.#inbox.end(why);
  }

  async close(): Promise<void> {
    this.#alarm?.cancel();
    this.#inbox.end('the connection is closed');
    this.#end();
  }
}

/** The clock that all threads of a process share. */
export function sharedNow(): Millis {
  return Number(realTimers.sharedNow()) / 1e6;
}
