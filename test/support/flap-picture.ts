/**
 * Counts the outcome of every message, with information that neither end has.
 *
 * An answer to an older packet, or a late copy of an older packet, can have the expected sequence number, because the numbers
 * begin again after every restart. Then neither end can recognise it; such a packet is called a stray here. The protocol has no
 * checksum of a whole message, so an acknowledged message can be lost because of a stray. These losses are counted separately.
 * Losses without such an explanation must not occur.
 */
import type { Instant, Millis } from '../../src/kernel/time.js';
import type { DeviceStep } from '../../src/protocol/flap/device-transfer.js';
import type { LittleCloud } from './flap-cloud.js';

export interface Picture {
  readonly uplinks: {
    readonly acknowledged: number;
    /** Messages that the device gave up. */
    readonly aborted: number;
    /** Number of different stored messages. */
    readonly stored: number;
    /** Acknowledged, but not stored, although there was no stray. */
    readonly lost: number;
    /** Stored with a content that was never sent, although there was no stray. */
    readonly corrupted: number;
    /** Sum of the times from the start of a message to its acknowledgement. */
    readonly took: Millis;
  };
  readonly downlinks: {
    readonly delivered: number;
    readonly received: number;
    /** Received with a content that was never queued, although there was no stray. */
    readonly corrupted: number;
  };
  /** Cases that the protocol does not exclude (wire W-34, W-40). */
  readonly quirks: {
    /** Quirk 12: the cloud counts the downlink as delivered, but the device never received it. */
    readonly deliveredNotReceived: number;
    /** Quirk 13: repetitions that the cloud does not answer, so that a lost answer costs 20 s. */
    readonly unansweredRepetitions: number;
    /** Quirk 15: messages that were stored again, because the device got a reset after 60 s of repetitions. */
    readonly storedAgainAfterPatience: number;
    /** Messages that were stored again for another reason. */
    readonly storedAgainOtherwise: number;
    /** Downlinks that the device received again. */
    readonly receivedAgain: number;
    /** Cases in which the device accepted the answer to an older packet. */
    readonly strayAnswersTaken: number;
    /** Cases in which the cloud accepted a late copy of an older packet as a new packet. */
    readonly strayRequestsTaken: number;
    /** Messages that were acknowledged, but not stored, after a stray. */
    readonly lostToStrays: number;
    /** Messages in either direction that contain parts of strays. */
    readonly corruptedByStrays: number;
  };
  /** Number of times that the device restarted a message or a poll from sequence 0. */
  readonly restarts: number;
}

type Mutable<T> = T extends number ? T : T extends object ? { -readonly [K in keyof T]: Mutable<T[K]> } : T;

/** Reasons (`LittleCloud.why`) that mean that the cloud accepted a packet as a new one. */
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
  // Contents of messages, in hex digits.
  readonly #sent = new Set<string>();
  readonly #stored = new Set<string>();
  readonly #queued = new Set<string>();
  readonly #received = new Set<string>();
  /** Number of stored messages of the cloud that are already counted. */
  #seen = 0;
  /** The latest exchange of which the cloud has accepted a packet. */
  #accepted = 0;
  #begun: Instant = 0;
  // Whether a stray occurred, and whether the cloud ended the repetitions of the device, since the last uplink began.
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
      // The device expects no answer to a final acknowledgement, so it may have begun the next exchange by then.
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

  /** The store recognises a repetition by its content (wire W-39). */
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
