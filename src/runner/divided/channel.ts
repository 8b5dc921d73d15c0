/**
 * The connection between a run and one of its parts, which runs in another thread, in another process or on another machine.
 */
import type { Millis } from '../../kernel/time.js';
import type { FromPart, ToPart } from './messages.js';

/** One end of a connection. */
export interface Channel<Out, In> {
  /** Sends a message. Until the connection is lost, every message arrives once and in order. */
  send(message: Out): void;
  /** Resolves with the next message of the other end. @throws ChannelLost if the connection is lost or closed */
  next(): Promise<In>;
  /**
   * Time of the shared clock: milliseconds since a moment that is the same for the run and all its parts.
   * @throws ChannelLost
   */
  sharedNow(): Promise<Millis>;
  /** Closes this end after all messages have been sent. */
  close(): Promise<void>;
}

/** The end of the channel that the part uses. */
export type PartChannel = Channel<FromPart, ToPart>;
/** The end of the channel that the run uses. */
export type RunChannel = Channel<ToPart, FromPart>;

/** The other end is gone. `message` is the reason, such as `its thread has ended`. */
export class ChannelLost extends Error {
  constructor(why: string) {
    super(why);
    this.name = 'ChannelLost';
  }
}

/** Messages that have arrived and are not read yet, for implementations of {@link Channel}. */
export class Inbox<In> {
  readonly #messages: In[] = [];
  #lost: ChannelLost | undefined;
  #wake = (): void => {};

  push(message: In): void {
    this.#messages.push(message);
    this.#wake();
  }

  /** Called when no further messages will arrive. Those that have arrived can still be read. */
  end(why: string): void {
    this.#lost ??= new ChannelLost(why);
    this.#wake();
  }

  async next(): Promise<In> {
    for (;;) {
      const message = this.#messages.shift();
      if (message !== undefined) return message;
      if (this.#lost !== undefined) throw this.#lost;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
