/**
 * The cloud's side of the transfers of one device (wire protocol, 6.1 and 6.2): what a packet means and what to answer.
 *
 * Neither storage nor clock in here. A move says what to do; where the answer depends on the outside (was the message
 * stored? what is first in the queue?), the caller comes back with `acknowledge`, `refuse` or `offer`. Packets of one
 * device must be handed in strictly one after another.
 */
import type { Instant, Millis } from '../../kernel/time.js';
import {
  ACK,
  FIRST,
  isAhead,
  type KeptPacket,
  keepPacket,
  LAST,
  LONGEST_MESSAGE,
  NOTHING,
  type Packet,
  POLL,
  RESET,
  samePacket,
  successor,
} from './packet.js';

/** What made the cloud believe that a downlink has arrived. */
type Evidence = 'final-ack' | 'next-packet' | 'sequence-zero';

export type CloudMove = {
  /** Before anything else: the downlink in flight is delivered. */
  readonly delivered?: Evidence;
} & (
  | { readonly kind: 'silence'; readonly why: string }
  /** Answer with this packet. */
  | { readonly kind: 'answer'; readonly packet: Packet; readonly why: string }
  /** A whole uplink message: store it, then call `acknowledge`; or call `refuse`. */
  | { readonly kind: 'store'; readonly message: Uint8Array }
  /** The device asks for a downlink: call `offer`. */
  | { readonly kind: 'offer' }
);

interface Remembered {
  readonly packet: KeptPacket;
  readonly since: Instant;
  /** What was answered; undefined when the packet got no answer. */
  readonly answer: Packet | undefined;
  repetitions: number;
}

interface Uplink {
  readonly fragments: Uint8Array[];
  /** Bytes received, also those that were too many to keep. */
  length: number;
}

interface Downlink {
  readonly message: Uint8Array;
  offset: number;
  /** The last fragment has been sent. */
  final: boolean;
}

export class CloudTransfer {
  readonly #fragmentSize: number;
  readonly #patience: Millis;
  /** Number of the next packet; undefined: only a new exchange will do. */
  #expect: number | undefined;
  #last: Remembered | undefined;
  #ignored: Remembered | undefined;
  /** The uplink message under way. */
  #uplink: Uplink | undefined;
  #downlink: Downlink | undefined;
  /** The accepted packet whose answer waits for the caller. */
  #open: { readonly packet: Packet; readonly at: Instant } | undefined;

  /**
   * @param fragmentSize bytes of message data in a downlink packet
   * @param patience how long the same packet may be repeated before the device is told to start over; published: 60 s
   */
  constructor(fragmentSize: number, patience: Millis) {
    this.#fragmentSize = fragmentSize;
    this.#patience = patience;
  }

  /** Is a downlink in flight that is not confirmed yet? */
  get offering(): boolean {
    return this.#downlink !== undefined;
  }

  /**
   * Takes a packet with a valid tag.
   * @param others does any downlink wait besides the one in flight?
   */
  receive(packet: Packet, now: Instant, others: () => boolean): CloudMove {
    const { flags, data } = packet;
    if (flags & ACK && data.length > 0) return this.#ignore(packet, now, 'acknowledgement with data');

    const repeated = this.#repetition(packet, now);
    if (repeated) return repeated;

    const place = this.#placeOf(packet);
    if (place === 'ahead') return this.#reset(this.#expect === undefined ? 'no exchange is known' : 'sequence ahead');
    if (place === 'behind') return this.#ignore(packet, now, 'sequence behind');
    if (!hasFittingForm(packet)) return this.#ignore(packet, now, 'flags that do not fit');

    let delivered: Evidence | undefined;
    if (place !== 'next') {
      if (place === 'zero' && !(flags & (FIRST | POLL))) return this.#ignore(packet, now, 'sequence 0 in mid-message');
      if (this.#downlink?.final) delivered = place === 'zero' ? 'sequence-zero' : 'next-packet';
      this.#uplink = undefined;
      this.#downlink = undefined;
    }
    const move = this.#accept(packet, now, others);
    return delivered ? { ...move, delivered } : move;
  }

  /** The message of a `store` move is durable. @param waiting does a downlink wait? */
  acknowledge(waiting: boolean): Packet {
    this.#uplink = undefined;
    return this.#answer(waiting ? ACK | POLL : ACK, NOTHING);
  }

  /** The message of a `store` move is not acceptable: it gets no answer (wire protocol, 6.3). */
  refuse(): void {
    const { packet, at } = this.#takeOpen();
    this.#takeBack(packet);
    this.#rememberIgnored(packet, at);
  }

  /**
   * Answers an `offer` move.
   * @param message the first downlink of the queue, undefined when nothing waits
   * @param others does another one wait behind it?
   */
  offer(message: Uint8Array | undefined, others: boolean): Packet {
    if (message === undefined) return this.#answer(FIRST | LAST, NOTHING);
    this.#downlink = { message, offset: 0, final: false };
    return this.#nextFragment(this.#downlink, others);
  }

  /** Where the packet stands in the numbering (wire protocol, 6.2 step 4). */
  #placeOf({ sequence, flags }: Packet): 'zero' | 'next' | 'ack-lost' | 'ahead' | 'behind' {
    const expect = this.#expect;
    if (sequence === 0) return 'zero';
    if (expect === undefined) return 'ahead';
    if (sequence === expect) return 'next';
    if (this.#downlink?.final && sequence === successor(expect) && flags & (FIRST | POLL)) return 'ack-lost';
    return isAhead(sequence, expect) ? 'ahead' : 'behind';
  }

  #accept(packet: Packet, now: Instant, others: () => boolean): CloudMove {
    const { flags, data } = packet;
    const downlink = this.#downlink;
    if (flags & ACK) {
      if (downlink === undefined) return this.#ignore(packet, now, 'acknowledgement of nothing');
      this.#open = { packet, at: now };
      if (!downlink.final) {
        return { kind: 'answer', packet: this.#nextFragment(downlink, others()), why: 'next fragment' };
      }
      this.#downlink = undefined;
      if (flags & POLL) return { kind: 'offer', delivered: 'final-ack' };
      this.#closeInSilence();
      return { kind: 'silence', why: 'downlink complete', delivered: 'final-ack' };
    }
    if (flags === POLL) {
      this.#open = { packet, at: now };
      this.#downlink = undefined;
      return { kind: 'offer' };
    }
    if (flags & FIRST) {
      this.#uplink = { fragments: [], length: 0 };
      this.#downlink = undefined;
    }
    const uplink = this.#uplink;
    if (uplink === undefined) return this.#ignore(packet, now, 'fragment without a first one');
    uplink.length += data.length;
    // Counted but not kept, because a device could send fragments for ever.
    if (uplink.length <= LONGEST_MESSAGE) uplink.fragments.push(data);
    if (flags & LAST) return this.#complete(uplink, packet, now);
    this.#open = { packet, at: now };
    return { kind: 'answer', packet: this.#answer(ACK, NOTHING), why: 'fragment accepted' };
  }

  #complete({ fragments, length }: Uplink, packet: Packet, now: Instant): CloudMove {
    if (length > LONGEST_MESSAGE) {
      this.#takeBack(packet);
      return this.#ignore(packet, now, 'message too long');
    }
    this.#open = { packet, at: now };
    const [only] = fragments;
    return { kind: 'store', message: fragments.length === 1 && only ? only : Buffer.concat(fragments) };
  }

  /** The last fragment does not count: the device will repeat it, and has to meet the same state again. */
  #takeBack({ flags, data }: Packet): void {
    const uplink = this.#uplink;
    if (uplink === undefined) return;
    if (uplink.length <= LONGEST_MESSAGE) uplink.fragments.pop();
    uplink.length -= data.length;
    if (flags & FIRST) this.#uplink = undefined;
  }

  /** Repetitions of the last accepted or ignored packet (wire protocol, 6.2 step 3). */
  #repetition(packet: Packet, now: Instant): CloudMove | undefined {
    const last = this.#last;
    if (last && samePacket(last.packet, packet)) {
      if (now - last.since > this.#patience) return this.#reset('repeated for too long');
      last.repetitions++;
      if (last.answer === undefined) return { kind: 'silence', why: 'repetition of a packet without answer' };
      if (last.repetitions % 2 === 1) return { kind: 'silence', why: 'odd repetition' };
      return { kind: 'answer', packet: last.answer, why: 'even repetition' };
    }
    const ignored = this.#ignored;
    if (ignored && samePacket(ignored.packet, packet) && now - ignored.since > this.#patience) {
      return this.#reset('ignored packet repeated for too long');
    }
    return undefined;
  }

  #ignore(packet: Packet, now: Instant, why: string): CloudMove {
    this.#rememberIgnored(packet, now);
    return { kind: 'silence', why };
  }

  #rememberIgnored(packet: Packet, since: Instant): void {
    if (this.#ignored && samePacket(this.#ignored.packet, packet)) return;
    this.#ignored = { packet: keepPacket(packet), since, answer: undefined, repetitions: 0 };
  }

  /** The downlink is kept: the sequence-0 packet that follows decides about it. */
  #reset(why: string): CloudMove {
    this.#uplink = undefined;
    this.#expect = undefined;
    this.#last = undefined;
    this.#ignored = undefined;
    return { kind: 'answer', packet: RESET, why };
  }

  #nextFragment(downlink: Downlink, others: boolean): Packet {
    const { message, offset } = downlink;
    const end = Math.min(offset + this.#fragmentSize, message.length);
    downlink.offset = end;
    downlink.final = end === message.length;
    const flags = (offset === 0 ? FIRST : 0) | (downlink.final ? LAST : 0) | (downlink.final && others ? POLL : 0);
    return this.#answer(flags, message.subarray(offset, end));
  }

  #answer(flags: number, data: Uint8Array): Packet {
    const { packet, at } = this.#takeOpen();
    const answer: Packet = { flags, sequence: successor(packet.sequence), data };
    this.#expect = successor(answer.sequence);
    this.#remember(packet, at, answer);
    return answer;
  }

  #closeInSilence(): void {
    const { packet, at } = this.#takeOpen();
    this.#expect = successor(packet.sequence);
    this.#remember(packet, at, undefined);
  }

  #remember(packet: Packet, since: Instant, answer: Packet | undefined): void {
    this.#last = { packet: keepPacket(packet), since, answer, repetitions: 0 };
    // A device that has gone on does not repeat any more what was ignored; the same bytes, much later, are something new.
    this.#ignored = undefined;
  }

  #takeOpen(): { readonly packet: Packet; readonly at: Instant } {
    const open = this.#open;
    if (open === undefined) throw new Error('no packet waits for an answer');
    this.#open = undefined;
    return open;
  }
}

/** Data without A and P, or exactly A, AP or P without data (wire protocol, 3.2). */
function hasFittingForm({ flags, data }: Packet): boolean {
  if (data.length > 0) return !(flags & (ACK | POLL));
  return flags === ACK || flags === POLL || flags === (ACK | POLL);
}
