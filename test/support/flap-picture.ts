/**
 * What became of every message: counted from outside, with knowledge that neither end has.
 *
 * The two ends cannot tell an answer to an older packet, or a late copy of one, from the real thing when the numbers
 * happen to fit; they come again after every restart. Such packets are called strays here. The protocol has no check over
 * a whole message, so a stray can cost an acknowledged message. That is counted, and kept apart from losses that nothing
 * explains, of which there must be none.
 */
import type { Instant, Millis } from '../../src/kernel/time.js';
import type { DeviceStep } from '../../src/protocol/flap/device-transfer.js';
import type { LittleCloud } from './flap-cloud.js';

export interface Picture {
  readonly uplinks: {
    readonly acknowledged: number;
    /** Given up by the device. */
    readonly aborted: number;
    /** Different messages in the store. */
    readonly stored: number;
    /** Acknowledged but not in the store, and nothing explains it. */
    readonly lost: number;
    /** In the store but never sent like that, and nothing explains it. */
    readonly corrupted: number;
    /** From start to acknowledgement, all together. */
    readonly took: Millis;
  };
  readonly downlinks: {
    readonly delivered: number;
    readonly received: number;
    /** Received but never queued like that, and nothing explains it. */
    readonly corrupted: number;
  };
  /** What the protocol does not exclude (wire protocol, section 14 and 6.5). */
  readonly quirks: {
    /** Quirk 12: the cloud believes that it has delivered, the device never had the message. */
    readonly deliveredNotReceived: number;
    /** Quirk 13: a repetition without answer, because of which a lost answer costs 20 s. */
    readonly unansweredRepetitions: number;
    /** Quirk 15: stored again, because after 60 s of repetition the device got a reset. */
    readonly storedAgainAfterPatience: number;
    /** Stored again, because the two had lost step in another way. */
    readonly storedAgainOtherwise: number;
    /** A downlink that came when the device had it already. */
    readonly receivedAgain: number;
    /** The device took the answer to an older packet for the answer to this one. */
    readonly strayAnswersTaken: number;
    /** The cloud took a late copy of an older packet for a new one. */
    readonly strayRequestsTaken: number;
    /** Acknowledged but not in the store, because of a stray. */
    readonly lostToStrays: number;
    /** Messages of either way that were put together from what strayed. */
    readonly corruptedByStrays: number;
  };
  /** How often the device began a message or a poll again from sequence 0. */
  readonly restarts: number;
}

type Mutable<T> = T extends number ? T : T extends object ? { -readonly [K in keyof T]: Mutable<T[K]> } : T;

/** How the cloud explains that it took a packet for a new one. */
const ACCEPTED = new Set(['store', 'offer', 'fragment accepted', 'next fragment', 'downlink complete']);

export class Observer {
  readonly #picture: Mutable<Picture> = {
    uplinks: { acknowledged: 0, aborted: 0, stored: 0, lost: 0, corrupted: 0, took: 0 },
    downlinks: { delivered: 0, received: 0, corrupted: 0 },
    quirks: {
      deliveredNotReceived: 0,
      unansweredRepetitions: 0,
      storedAgainAfterPatience: 0,
      storedAgainOtherwise: 0,
      receivedAgain: 0,
      strayAnswersTaken: 0,
      strayRequestsTaken: 0,
      lostToStrays: 0,
      corruptedByStrays: 0,
    },
    restarts: 0,
  };
  // Messages in hex.
  readonly #sent = new Set<string>();
  readonly #stored = new Set<string>();
  readonly #queued = new Set<string>();
  readonly #received = new Set<string>();
  /** How many entries of the cloud's store have been looked at. */
  #seen = 0;
  /** The latest exchange of which the cloud has accepted a packet. */
  #accepted = 0;
  #begun: Instant = 0;
  // Since the last uplink began:
  #strayed = false;
  #patienceEnded = false;

  uplinkBegins(message: Uint8Array, now: Instant): void {
    this.#sent.add(hex(message));
    this.#begun = now;
    this.#strayed = false;
    this.#patienceEnded = false;
  }

  uplinkAcknowledged(message: Uint8Array, now: Instant): void {
    const { uplinks, quirks } = this.#picture;
    uplinks.acknowledged++;
    uplinks.took += now - this.#begun;
    if (this.#stored.has(hex(message))) return;
    if (this.#strayed) quirks.lostToStrays++;
    else uplinks.lost++;
  }

  uplinkAborted(): void {
    this.#picture.uplinks.aborted++;
  }

  downlinkQueued(message: Uint8Array): void {
    this.#queued.add(hex(message));
  }

  downlinkReceived(message: Uint8Array): void {
    const { downlinks, quirks } = this.#picture;
    const content = hex(message);
    if (this.#queued.has(content)) {
      if (this.#received.has(content)) quirks.receivedAgain++;
      this.#received.add(content);
    } else if (this.#strayed) quirks.corruptedByStrays++;
    else downlinks.corrupted++;
  }

  /** The device has read an answer to a packet of `exchange` while it was busy with `current`. */
  answerRead(step: DeviceStep, exchange: number, current: number): void {
    const again = step.kind === 'send' ? step.again : undefined;
    if (again !== undefined && again !== 'stale answer') this.#picture.restarts++;
    if (exchange === current) return;
    this.#strayed = true;
    if (step.kind !== 'failed' && again === undefined) this.#picture.quirks.strayAnswersTaken++;
  }

  /** The cloud has handled a packet of `exchange`; the device is busy with `current`. */
  packetHandled(cloud: LittleCloud, exchange: number, current: number): void {
    if (cloud.why === 'odd repetition') this.#picture.quirks.unansweredRepetitions++;
    if (cloud.why === 'repeated for too long') this.#patienceEnded = true;
    if (ACCEPTED.has(cloud.why)) {
      // No answer to a final acknowledgement is expected: the device may have started something else by then.
      const finalAck = cloud.why === 'downlink complete' && exchange > this.#accepted;
      if (exchange !== current && !finalAck) {
        this.#strayed = true;
        this.#picture.quirks.strayRequestsTaken++;
      }
      this.#accepted = Math.max(this.#accepted, exchange);
    }
    for (; this.#seen < cloud.stored.length; this.#seen++) this.#messageStored(hex(cloud.stored[this.#seen]));
  }

  finish(cloud: LittleCloud): Picture {
    const { uplinks, downlinks, quirks } = this.#picture;
    uplinks.stored = this.#stored.size;
    downlinks.delivered = cloud.delivered.length;
    downlinks.received = this.#received.size;
    quirks.deliveredNotReceived = cloud.delivered.filter(({ message }) => !this.#received.has(hex(message))).length;
    return this.#picture;
  }

  /** The store recognises a repetition by its content (wire protocol, section 15). */
  #messageStored(content: string): void {
    const { uplinks, quirks } = this.#picture;
    if (this.#sent.has(content)) {
      if (this.#stored.has(content)) {
        if (this.#patienceEnded) quirks.storedAgainAfterPatience++;
        else quirks.storedAgainOtherwise++;
      }
      this.#stored.add(content);
    } else if (this.#strayed) quirks.corruptedByStrays++;
    else uplinks.corrupted++;
  }
}

function hex(bytes: Uint8Array = new Uint8Array()): string {
  return Buffer.from(bytes).toString('hex');
}
