/**
 * Unsent data messages in flash, oldest first (wire protocol, 8.3). They survive reboots.
 */

/** A data message that waits to be sent. */
export interface SpooledMessage {
  /** Number of the uplink over the whole run; -1 for a made-up one (`cloud spool fake`). */
  readonly uplink: number;
  /** The complete frame: type byte, decoder hash, body. */
  readonly message: Uint8Array;
}

export class Spool {
  #messages: SpooledMessage[] = [];

  get count(): number {
    return this.#messages.length;
  }

  get oldest(): SpooledMessage | undefined {
    return this.#messages[0];
  }

  /** Adds the newest message; returns those that had to go, oldest first, for it to fit into `capacity`. */
  add(message: SpooledMessage, capacity: number): readonly SpooledMessage[] {
    this.#messages.push(message);
    return this.#messages.splice(0, Math.max(0, this.#messages.length - capacity));
  }

  remove(message: SpooledMessage): void {
    this.#messages = this.#messages.filter((other) => other !== message);
  }

  /** Empties the spool; returns what was in it. */
  clear(): readonly SpooledMessage[] {
    return this.#messages.splice(0);
  }
}
