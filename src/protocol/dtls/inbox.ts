/** Joins and orders handshake messages (RFC 6347, 4.2.2 and 4.2.3): at most {@link AHEAD}, of {@link LONGEST} bytes. */
import type { Fragment, HandshakeMessage } from './handshake.js';

/** Maximum length of a message in bytes. Messages of a handshake with a pre-shared key are much shorter. */
const LONGEST = 1024;
/** Number of messages whose fragments are accepted: the expected message and the three after it. */
const AHEAD = 4;

interface Partial {
  readonly type: number;
  readonly body: Uint8Array;
  /** 1 for every byte that has arrived. */
  readonly seen: Uint8Array;
  missing: number;
}

export class Inbox {
  #next: number;
  /**
   * Created for the first fragment, and discarded when all messages are complete, so that open connections take less memory.
   */
  #partials: Map<number, Partial> | undefined;

  /** @param next sequence number of the first message */
  constructor(next: number) {
    this.#next = next;
  }

  /** Number of bytes that are kept for incomplete messages. */
  get size(): number {
    let size = 0;
    for (const { body } of this.#partials?.values() ?? []) size += body.length;
    return size;
  }

  /** Whether the fragment belongs to a message that was taken before: a repetition. */
  isOld({ sequence }: Fragment): boolean {
    return sequence < this.#next;
  }

  /** Stores a fragment. Ignores it if its message is too long, too far ahead, or already taken. */
  put({ type, length, sequence, offset, part }: Fragment): void {
    if (sequence < this.#next || sequence >= this.#next + AHEAD || length > LONGEST) return;
    this.#partials ??= new Map();
    let partial = this.#partials.get(sequence);
    if (partial === undefined) {
      partial = { type, body: new Uint8Array(length), seen: new Uint8Array(length), missing: length };
      this.#partials.set(sequence, partial);
    }
    if (partial.type !== type || partial.body.length !== length) return;
    part.forEach((byte, at) => {
      const place = offset + at;
      if (partial.seen[place] === 1) return;
      partial.seen[place] = 1;
      partial.body[place] = byte;
      partial.missing--;
    });
  }

  /** The next message if it is complete. */
  take(): HandshakeMessage | undefined {
    const sequence = this.#next;
    const partial = this.#partials?.get(sequence);
    if (partial === undefined || partial.missing > 0) return undefined;
    this.#partials?.delete(sequence);
    if (this.#partials?.size === 0) this.#partials = undefined;
    this.#next++;
    return { type: partial.type, sequence, body: partial.body };
  }
}
