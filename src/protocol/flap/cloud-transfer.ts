/**
 * The cloud side of the transfers of one device (wire W-24 to W-32): what a packet means and how to answer it.
 *
 * The class has no storage and no clock. Each packet results in a move. If the answer depends on storage or on the queue, the
 * caller then calls `acknowledge`, `refuse` or `offer`. Packets of one device must be passed strictly one after another.
 */
import type { Instant, Millis } from '../../kernel/time.js';
import {
  ACK,
  bytesOf,
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

/** Evidence for the delivery of a downlink. */
export type Evidence = 'final-ack' | 'next-packet' | 'sequence-zero';

/** What the cloud does after a packet. */
export type CloudMove = {
  /** The packet proves the delivery of the downlink in flight, which is recorded before the move. */
  readonly delivered?: Evidence;
} & (
  | { readonly kind: 'silence'; readonly why: string }
  | { readonly kind: 'answer'; readonly packet: Packet; readonly why: string }
  /** An uplink message is complete: store it and call `acknowledge`, or call `refuse`. `parts`: number of its packets. */
  | { readonly kind: 'store'; readonly message: Uint8Array; readonly parts: number }
  /** The device asks for a downlink: call `offer`. */
  | { readonly kind: 'offer' }
);

interface Remembered {
  readonly packet: KeptPacket;
  readonly since: Instant;
  /** The answer; undefined when the packet was not answered. */
  readonly answer: Packet | undefined;
  repetitions: number;
}

interface Uplink {
  /** The fragments before the last one. */
  readonly fragments: string[];
  /** Bytes received, including those beyond the maximum length, which are not kept. */
  length: number;
}

interface Downlink {
  readonly message: Uint8Array;
  offset: number;
  /** Whether the last fragment has been sent. */
  final: boolean;
}

export class CloudTransfer {
  readonly #fragmentSize: number;
  readonly #patience: Millis;
  /** Expected sequence number; undefined if only a new exchange is accepted. */
  #expect: number | undefined;
  #last: Remembered | undefined;
  #ignored: Remembered | undefined;
  /** The uplink message in transfer. */
  #uplink: Uplink | undefined;
  #downlink: Downlink | undefined;
  /** The accepted packet that the caller has to answer. */
  #open: { readonly packet: KeptPacket; readonly at: Instant } | undefined;

  /**
   * @param fragmentSize bytes of message data in a downlink packet
   * @param patience time for which the same packet may be repeated before the cloud sends a reset; the published value is 60 s
   */
  constructor(fragmentSize: number, patience: Millis) {
    this.#fragmentSize = fragmentSize;
    this.#patience = patience;
  }

  /** The sequence number expected next; undefined if only a new exchange is accepted. */
  get expected(): number | undefined {
    return this.#expect;
  }

  /** Whether this is the next packet of the dialogue; also if the acknowledgement of a downlink was lost before it. */
  continues(packet: Packet): boolean {
    const place = this.#placeOf(packet);
    return place === 'next' || place === 'ack-lost';
  }

  /** Whether this packet may be from the device at the other end: the next one, a repetition, or the start of an exchange. */
  fits(packet: Packet): boolean {
    const isRepetition = this.#last !== undefined && samePacket(this.#last.packet, keepPacket(packet));
    return isRepetition || this.continues(packet) || this.#placeOf(packet) === 'zero';
  }

  /**
   * A transfer for a dialogue that begins with this packet, as if the device had moved. It offers nothing, and has no parts of a
   * message: in the middle of one, the device begins again. Packets of one transfer do not change the other.
   */
  fork(packet: Packet): CloudTransfer {
    const fork = new CloudTransfer(this.#fragmentSize, this.#patience);
    const isMiddle = packet.data.length > 0 && !(packet.flags & FIRST);
    if (this.continues(packet) && !isMiddle) fork.#expect = this.#expect;
    if (this.#downlink?.final) fork.#downlink = this.#downlink;
    return fork;
  }

  /** Whether a downlink is in flight and not confirmed. */
  get offering(): boolean {
    return this.#downlink !== undefined;
  }

  /**
   * Processes a packet with a valid tag.
   * @param others whether another downlink is queued besides the one in flight
   */
  receive(received: Packet, now: Instant, others: () => boolean): CloudMove {
    const packet = keepPacket(received);
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
    const move = this.#accept(packet, received.data, now, others);
    return delivered ? { ...move, delivered } : move;
  }

  /** Answers a `store` move after the message is durable. @param waiting whether a downlink is queued */
  acknowledge(waiting: boolean): Packet {
    this.#uplink = undefined;
    return this.#answer(waiting ? ACK | POLL : ACK, NOTHING);
  }

  /** Rejects the message of a `store` move: it gets no answer (wire W-35). */
  refuse(): void {
    const { packet, at } = this.#takeOpen();
    this.#takeBack(packet);
    this.#rememberIgnored(packet, at);
  }

  /**
   * Answers an `offer` move.
   * @param message the first downlink of the queue; undefined when the queue is empty
   * @param others whether another downlink is queued
   */
  offer(message: Uint8Array | undefined, others: boolean): Packet {
    if (message === undefined) return this.#answer(FIRST | LAST, NOTHING);
    this.#downlink = { message, offset: 0, final: false };
    return this.#nextFragment(this.#downlink, others);
  }

  /** Position of a packet relative to the expected sequence number (wire W-30). */
  #placeOf({ sequence, flags }: Pick<Packet, 'sequence' | 'flags'>): 'zero' | 'next' | 'ack-lost' | 'ahead' | 'behind' {
    const expect = this.#expect;
    if (sequence === 0) return 'zero';
    if (expect === undefined) return 'ahead';
    if (sequence === expect) return 'next';
    if (this.#downlink?.final && sequence === successor(expect) && flags & (FIRST | POLL)) return 'ack-lost';
    return isAhead(sequence, expect) ? 'ahead' : 'behind';
  }

  /** @param bytes the data of the packet */
  #accept(packet: KeptPacket, bytes: Uint8Array, now: Instant, others: () => boolean): CloudMove {
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
    if (flags & LAST) return this.#complete(uplink, packet, bytes, now);
    // Fragments beyond the maximum length are counted but not kept, because a device could send an endless message.
    if (uplink.length <= LONGEST_MESSAGE) uplink.fragments.push(data);
    this.#open = { packet, at: now };
    return { kind: 'answer', packet: this.#answer(ACK, NOTHING), why: 'fragment accepted' };
  }

  #complete({ fragments, length }: Uplink, packet: KeptPacket, bytes: Uint8Array, now: Instant): CloudMove {
    if (length > LONGEST_MESSAGE) {
      this.#takeBack(packet);
      return this.#ignore(packet, now, 'message too long');
    }
    this.#open = { packet, at: now };
    const message = fragments.length === 0 ? bytes : bytesOf(fragments.join('') + packet.data);
    return { kind: 'store', message, parts: fragments.length + 1 };
  }

  /** Removes the last fragment again: the device will repeat it, and must then find the cloud in the same state. */
  #takeBack({ flags, data }: KeptPacket): void {
    const uplink = this.#uplink;
    if (uplink === undefined) return;
    uplink.length -= data.length;
    if (flags & FIRST) this.#uplink = undefined;
  }

  /** The move for a repetition of the last accepted or ignored packet (wire W-27); undefined for others. */
  #repetition(packet: KeptPacket, now: Instant): CloudMove | undefined {
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

  #ignore(packet: KeptPacket, now: Instant, why: string): CloudMove {
    this.#rememberIgnored(packet, now);
    return { kind: 'silence', why };
  }

  #rememberIgnored(packet: KeptPacket, since: Instant): void {
    if (this.#ignored && samePacket(this.#ignored.packet, packet)) return;
    this.#ignored = { packet, since, answer: undefined, repetitions: 0 };
  }

  /** Resets the exchange. A downlink whose last fragment was sent is delivered by the next packet with sequence 0. */
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

  #remember(packet: KeptPacket, since: Instant, answer: Packet | undefined): void {
    this.#last = { packet, since, answer, repetitions: 0 };
    // After an accepted packet, the device does not repeat an ignored one; the same bytes later are a new packet.
    this.#ignored = undefined;
  }

  #takeOpen(): { readonly packet: KeptPacket; readonly at: Instant } {
    const open = this.#open;
    if (open === undefined) throw new Error('no packet waits for an answer');
    this.#open = undefined;
    return open;
  }
}

/** Either data without ACK and POLL, or no data and exactly ACK, POLL or both (wire W-13, W-26). */
function hasFittingForm({ flags, data }: KeptPacket): boolean {
  if (data.length > 0) return !(flags & (ACK | POLL));
  return flags === ACK || flags === POLL || flags === (ACK | POLL);
}
