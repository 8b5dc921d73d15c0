/**
 * Recognises recorded datagrams that are sent again (docs/SECURITY.md, "Replayed datagrams").
 *
 * The tag of a datagram proves who wrote it, not when. An acknowledgement or a poll has no content: the copy of an attacker and
 * the packet of a device are the same bytes. So the guard judges by the address: a device is known at the address from which it
 * continued its dialogue. At another address, only content that was never received before proves the device. Until then, its
 * packets have a dialogue of their own, which disturbs neither that of the proven address nor that at another node.
 */
import type { Instant, Millis } from '../../kernel/time.js';
import type { CloudTransfer } from '../../protocol/flap/cloud-transfer.js';
import { ACK, FIRST, type Packet } from '../../protocol/flap/packet.js';
import { TYPE } from '../../protocol/messages/index.js';

/** Address from which a datagram came. */
export interface Source {
  readonly host: string;
  readonly port: number;
}

interface Arrival {
  readonly packet: Packet;
  /** Identifies the datagram: the first bytes of its tag. */
  readonly mark: number;
  readonly source: Source;
  readonly at: Instant;
  /** The transfer of the device; undefined: it has none yet. */
  readonly transfer: Pick<CloudTransfer, 'expected' | 'continues'> | undefined;
  /** When the device last communicated, if another node may have its proven address. */
  readonly elsewhere?: Instant | undefined;
}

/**
 * - `known`: sent by the device from its proven address.
 * - `guest`: sent after the start of a session at an address that is not proven. Downlinks of users wait.
 * - `visitor`: sent from an address without a session. It gets no downlinks.
 * - `repeat`: a copy of the latest packet, received from another address soon after it. If the answer had content, it is not
 *   sent again.
 * - `copy`: an old datagram; it is dropped.
 */
export type Verdict = 'known' | 'guest' | 'visitor' | 'repeat' | 'copy';

/** Number of datagrams of one device that are remembered. */
const REMEMBERED = 16;

/** A rejected packet is accepted after so many arrivals, over more than `patience`: a real device repeats. Never an ack. */
const PERSISTENT = 5;

/** How long, in `patience`, the guard rejects starts from other hosts: without it, copies could keep a device out. */
const LONGEST_CLAIM = 2;

export class ReplayGuard {
  /** Time for which a device repeats a packet before it starts again. */
  readonly #patience: Millis;
  /** The proven address of the device; at first, the address of its first datagram, unless another node may know it. */
  #home: Source | undefined;
  /** The unproven address at which the latest session began. */
  #guest: Source | undefined;
  /** The latest address without a session. */
  #visitor: Source | undefined;
  /** Mark of the latest datagram of the guest. */
  #guestMark: number | undefined;
  /** Marks of the latest datagrams that were processed, oldest first, without those of guests and visitors. */
  readonly #recent: number[] = [];
  #latestAt: Instant = 0;
  /** When the device last sent from its proven address, or otherwise. */
  #homeAt: Instant = Number.NEGATIVE_INFINITY;
  /** Whether the first datagram does not prove its address, because the device has communicated otherwise. */
  #isElsewhere = false;
  /** When another host first asked for a session; undefined if none has asked since the latest proof. */
  #contestedAt: Instant | undefined;
  #dropped: { readonly mark: number; readonly source: Source; readonly since: Instant; count: number } | undefined;

  constructor(patience: Millis) {
    this.#patience = patience;
  }

  /** The device has communicated over DTLS or HTTP. Until then, its address may have been another one. */
  noteOtherwise(at: Instant): void {
    if (at <= this.#homeAt) return;
    this.#isElsewhere = true;
    this.#home = undefined;
    this.#guest = undefined;
    this.#homeAt = at;
  }

  judge(arrival: Arrival): Verdict {
    if (arrival.elsewhere === undefined && !this.#isElsewhere) this.#home ??= arrival.source;
    else if (this.#home === undefined) this.#homeAt = Math.max(this.#homeAt, arrival.elsewhere ?? 0);
    const verdict = this.#verdict(arrival);
    if (verdict === 'known' || verdict === 'repeat') this.#remember(arrival);
    if (verdict === 'known') this.#homeAt = arrival.at;
    if (verdict === 'guest') this.#guestMark = arrival.mark;
    return verdict;
  }

  /** Whether the datagram was processed before. If so, its answer is a repetition as well. */
  isRepeated({ mark }: Pick<Arrival, 'mark'>): boolean {
    return this.#recent.includes(mark);
  }

  /** Whether another host has asked for a session since the proven address last sent new content. */
  get isContested(): boolean {
    return this.#contestedAt !== undefined;
  }

  /** The device has sent new content from this address. */
  prove(source: Source, at: Instant): void {
    this.#home = source;
    this.#homeAt = at;
    this.#guest = undefined;
    this.#visitor = undefined;
    this.#contestedAt = undefined;
  }

  #verdict(arrival: Arrival): Verdict {
    const { packet, source, transfer } = arrival;
    const isNext = transfer?.continues(packet) === true;
    if (same(this.#home, source)) return !isNext && this.#hasMovedOn(arrival) ? this.#drop(arrival) : 'known';
    if (startsAnew(packet)) return this.#judgeStart(arrival);
    if (same(this.#guest, source)) return 'guest';
    // If the network does not grant power saving mode, the device uses another port for each transmission.
    if (isNext && source.host === this.#home?.host) {
      this.#home = source;
      return 'known';
    }
    if (this.#isRecentRepeat(arrival)) return 'repeat';
    return this.#mayVisit(arrival) ? this.#welcome(source) : this.#drop(arrival);
  }

  #judgeStart(arrival: Arrival): Verdict {
    const { source, mark } = arrival;
    if (same(this.#guest, source) && mark === this.#guestMark) return 'guest';
    const outlasts = this.#outlastsClaim(arrival);
    if (!outlasts && this.#isRecentRepeat(arrival)) return 'repeat';
    return outlasts || this.#mayBeRestart(arrival) ? this.#seat(source) : this.#drop(arrival);
  }

  #mayVisit(arrival: Arrival): boolean {
    const { packet, source } = arrival;
    if (packet.data.length > 0) return !beginsSession(packet) && !this.isRepeated(arrival);
    return this.#home === undefined || same(this.#visitor, source);
  }

  #seat(guest: Source): Verdict {
    this.#guest = guest;
    return 'guest';
  }

  #welcome(visitor: Source): Verdict {
    this.#visitor = visitor;
    return 'visitor';
  }

  /** Whether the device has sent newer datagrams. */
  #hasMovedOn({ packet, mark, transfer }: Arrival): boolean {
    const isOld = this.isRepeated({ mark }) && mark !== this.#recent.at(-1);
    return isOld && packet.sequence !== 0 && transfer?.expected !== undefined;
  }

  #isRecentRepeat({ mark, at }: Arrival): boolean {
    return mark === this.#recent.at(-1) && at - this.#latestAt <= this.#patience;
  }

  /**
   * A device that has restarted begins its session with the same bytes as before, often from another port of its host. A start
   * from another host is accepted only after silence at the proven address. Copies from other addresses do not end that
   * silence, because an attacker could otherwise keep the device out.
   */
  #mayBeRestart({ source, at }: Arrival): boolean {
    return source.host === this.#home?.host || at - this.#homeAt > this.#patience;
  }

  /**
   * Whether another host asks for a session, and the proven address has sent no new content for too long: more than
   * {@link LONGEST_CLAIM} times `patience` since another host first asked.
   */
  #outlastsClaim({ source, at }: Arrival): boolean {
    if (source.host === this.#home?.host) return false;
    this.#contestedAt ??= at;
    if (at - this.#contestedAt <= LONGEST_CLAIM * this.#patience) return false;
    this.#contestedAt = undefined;
    return true;
  }

  #drop(arrival: Arrival): Verdict {
    const { mark, source, at, packet } = arrival;
    const before = this.#dropped;
    const again = before?.mark === mark && same(before.source, source) ? before : undefined;
    const dropped = again ?? { mark, source, since: at, count: 0 };
    dropped.count++;
    this.#dropped = dropped;
    // A device without a time limit repeats a packet until it is answered, also after it has attached to the network again.
    const persistent = dropped.count >= PERSISTENT && at - dropped.since > this.#patience;
    if (!persistent || packet.flags & ACK) return 'copy';
    if (same(this.#home, source)) return 'known';
    return startsAnew(packet) ? this.#seat(source) : this.#welcome(source);
  }

  #remember({ mark, at }: Arrival): void {
    if (this.#recent.at(-1) === mark) return;
    const before = this.#recent.indexOf(mark);
    if (before >= 0) this.#recent.splice(before, 1);
    else if (this.#recent.length === REMEMBERED) this.#recent.shift();
    this.#recent.push(mark);
    this.#latestAt = at;
    this.#dropped = undefined;
  }
}

/** Whether a packet is the first one of a device that has restarted. */
function startsAnew(packet: Packet): boolean {
  return packet.sequence === 0 && beginsSession(packet);
}

function beginsSession({ flags, data }: Packet): boolean {
  return (flags & FIRST) !== 0 && data[0] === TYPE['create-session'];
}

function same(a: Source | undefined, b: Source): boolean {
  return a?.port === b.port && a.host === b.host;
}
