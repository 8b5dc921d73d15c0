/** A channel through the message port between two threads of this process. */
import { hrtime } from 'node:process';
import type { Millis } from '../../../kernel/time.js';
import { type Channel, Inbox } from '../channel.js';

/** The part of a `MessagePort` or a `Worker` that a channel uses. */
interface Port {
  postMessage(message: unknown): void;
  on(event: 'message', listener: (message: unknown) => void): unknown;
}

export class PortChannel<Out, In> implements Channel<Out, In> {
  readonly #port: Port;
  readonly #inbox = new Inbox<In>();
  readonly #end: () => void;

  /** @param end called when this end is closed */
  constructor(port: Port, end: () => void) {
    this.#port = port;
    this.#end = end;
    // The cast is safe because the other end sends only messages of type `In`.
    port.on('message', (message) => this.#inbox.push(message as In));
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

  /** The other end is gone. @param why as a clause */
  lose(why: string): void {
    this.#inbox.end(why);
  }

  async close(): Promise<void> {
    this.#inbox.end('the connection is closed');
    this.#end();
  }
}

/** The clock that all threads of a process share. */
export function sharedNow(): Millis {
  return Number(hrtime.bigint()) / 1e6;
}
