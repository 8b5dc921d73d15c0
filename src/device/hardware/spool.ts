/** Unsent data messages in flash, oldest first (timing T-29). They survive reboots. */
import type { UnixSeconds } from '../../kernel/time.js';

/** An unsent data message. */
export interface SpooledMessage {
  /** Number of the uplink in the run; -1 for a made-up message (`cloud spool fake`). */
  readonly uplink: number;
  /** The complete message: type byte, decoder hash, body. */
  readonly message: Uint8Array;
  /** Time of storing, on the device's clock. The firmware names the file after this time, and sorts the files by it. */
  readonly stored: UnixSeconds;
}

export class Spool {
  /** Never changed in place: most spools are empty and share one empty array. */
  #messages: readonly SpooledMessage[] = EMPTY;

  get count(): number {
    return this.#messages.length;
  }

  /** Oldest first. */
  get messages(): readonly SpooledMessage[] {
    return this.#messages;
  }

  get oldest(): SpooledMessage | undefined {
    return this.#messages[0];
  }

  /** Adds a message. Returns the messages that it displaced because of `capacity`, oldest first. */
  add(message: SpooledMessage, capacity: number): readonly SpooledMessage[] {
    const excess = Math.max(0, this.#messages.length + 1 - capacity);
    const kept = this.#messages.slice(excess);
    const lost = this.#messages.slice(0, excess);
    // After the clock was set back, a new message has an earlier time than older messages.
    const later = kept.findIndex(({ stored }) => stored > message.stored);
    kept.splice(later < 0 ? kept.length : later, 0, message);
    this.#keep(kept);
    return lost;
  }

  remove(message: SpooledMessage): void {
    this.#keep(this.#messages.filter((other) => other !== message));
  }

  /** Empties the spool and returns its messages. */
  clear(): readonly SpooledMessage[] {
    const all = this.#messages;
    this.#messages = EMPTY;
    return all;
  }

  #keep(messages: readonly SpooledMessage[]): void {
    this.#messages = messages.length === 0 ? EMPTY : messages;
  }
}

const EMPTY: readonly SpooledMessage[] = [];
