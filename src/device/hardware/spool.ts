/**
 * Unsent data messages in flash, oldest first (wire protocol, 8.3). They survive reboots.
 */

/** An unsent data message. */
export interface SpooledMessage {
  /** Number of the uplink in the run; -1 for a made-up message (`cloud spool fake`). */
  readonly uplink: number;
  /** The complete frame: type byte, decoder hash, body. */
  readonly message: Uint8Array;
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

  /** Adds the newest message. Returns the messages that it displaced because of `capacity`, oldest first. */
  add(message: SpooledMessage, capacity: number): readonly SpooledMessage[] {
    const all = [...this.#messages, message];
    const lost = all.splice(0, Math.max(0, all.length - capacity));
    this.#keep(all);
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
