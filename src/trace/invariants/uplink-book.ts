/**
 * Matches stored messages with uplinks. The device numbers its uplinks, and the cloud assigns ids to messages. Neither number
 * is transmitted, so the two can only be matched by their order. A device sends one message at a time. So a stored message
 * belongs to the latest uplink of its type that was sent and is not stored yet.
 *
 * The order is not enough if the network delays datagrams: while the device sends a stored uplink again, an earlier uplink may
 * arrive late, which the device has taken for acknowledged. In such cases the embedded cloud compares the contents of data
 * messages, and the event `cloud.stored` shows the result.
 *
 * Two errors of a cloud stay undetected. It may swap two uplinks of one device and type while both are in transfer. And it may
 * store a message with a content other than that of the uplink.
 */
import { type Instant, minutes } from '../../kernel/time.js';
import type { Handlers } from '../dispatch.js';
import type { TraceEvent, UplinkType } from '../events.js';
import type { SeenAcks } from './invariant.js';

type Stored = Extract<TraceEvent, { readonly kind: 'cloud.stored' }>;
type Sent = Extract<TraceEvent, { readonly kind: 'uplink.sent' }>;
type Acked = Extract<TraceEvent, { readonly kind: 'uplink.acked' }>;

/** An uplink that a device sent. */
export interface Sending {
  /** Position in the order of sending, over all devices. An uplink that is sent again gets a new position. */
  readonly order: number;
  readonly sent: Sent;
  readonly acked: Acked | undefined;
  /** The event with which the cloud stored the uplink, as a new message or as a copy. */
  readonly stored: Stored | undefined;
  /** Whether the stored message could also belong to another uplink. */
  readonly unsure: boolean;
}

interface TrackedSending extends Sending {
  order: number;
  sent: Sent;
  acked: Acked | undefined;
  stored: Stored | undefined;
  unsure: boolean;
  droppedAt: Instant | undefined;
  /** Number of boots of the device before the uplink was sent. */
  readonly boots: number;
  /** The previous session uplink, if this uplink is an identical copy that was sent after a reboot or a failed transfer. */
  readonly repeats: TrackedSending | undefined;
  /**
   * Time at which the cloud last stored a message of this type while this uplink was the newest. After a reset of the transfer,
   * the cloud stores the uplink again, so there may be several such times.
   */
  heardAt: Instant | undefined;
}

export interface BookReader {
  /**
   * The cloud has stored a message. `sending`: the uplink of the message; undefined if no uplink matches. `before`: the newest
   * uplink of this type. `missing`: the newest uplink of this type that is not stored and to which the message could belong.
   */
  readonly stored?: (
    event: Stored,
    sending: Sending | undefined,
    before: Sending | undefined,
    missing: Sending | undefined,
  ) => void;
  /** The cloud has acknowledged the uplink `sending`, and no stored message matches it. */
  readonly lost?: (sending: Sending, acked: Acked) => void;
}

/**
 * Maximum number of uplinks that are kept per device. Another cloud is observed through its API, which shows a stored message
 * some time after the acknowledgement. Until then, the device may send many more uplinks.
 */
const MOST_ENTRIES = 256;
/** Time for which the cloud treats an identical packet as a repetition (wire W-27). */
const REPETITION = minutes(1);
/** Settled uplinks kept per device: later events may belong to them. */
const MOST_SETTLED = 16;

export class UplinkBook {
  readonly #reader: BookReader;
  readonly #types: ReadonlySet<UplinkType> | undefined;
  /** Whether the contents of data messages are compared if their order is not enough. */
  readonly #compared: boolean;
  /** Uplinks by device, in the order of sending. */
  readonly #entries = new Map<number, TrackedSending[]>();
  readonly #boots = new Map<number, number>();
  /** Devices with an uplink that was removed although no stored message matches it. */
  readonly #forgotten = new Set<number>();
  #order = 0;

  /** @param types the types to match; undefined for all types */
  constructor(reader: BookReader, types?: readonly UplinkType[], acks: SeenAcks = 'unseen') {
    this.#reader = reader;
    this.#types = types && new Set(types);
    this.#compared = acks !== 'unseen';
  }

  readonly on: Handlers = {
    'device.boot': ({ serial }) => {
      this.#boots.set(serial, this.#countBoots(serial) + 1);
    },
    'uplink.sent': (event) => {
      if (this.#types?.has(event.type) === false) return;
      const order = ++this.#order;
      const entries = this.#getSendings(event.serial);
      const index = entries.findIndex(({ sent }) => sent.uplink === event.uplink);
      const [known] = index < 0 ? [] : entries.splice(index, 1);
      if (known !== undefined) entries.push(Object.assign(known, { order, droppedAt: undefined }));
      else {
        const fresh = { acked: undefined, stored: undefined, unsure: false, droppedAt: undefined, heardAt: undefined };
        const boots = this.#countBoots(event.serial);
        entries.push({ order, sent: event, boots, repeats: findRepeated(event, boots, entries.at(-1)), ...fresh });
        this.#prune(entries);
      }
    },
    'uplink.acked': (event) => {
      const entry = this.#entries.get(event.serial)?.find(({ sent }) => sent.uplink === event.uplink);
      if (entry !== undefined) entry.acked = event;
    },
    'uplink.dropped': (event) => {
      const entry = this.#entries.get(event.serial)?.find(({ sent }) => sent.uplink === event.uplink);
      if (entry !== undefined) entry.droppedAt = event.at;
    },
    'cloud.stored': (event) => {
      if (this.#types?.has(event.type) === false) return;
      const alike = this.#getSendings(event.serial).filter(({ sent }) => sent.type === event.type);
      const entries = alike.filter(({ sent }) => sent.at <= event.at);
      const newest = entries.at(-1);
      if (newest !== undefined) newest.heardAt = event.at;
      // An uplink that is still in transfer is preferred. An uplink whose transfer has ended matches only if the message was
      // stored late.
      const open = entries.filter(({ stored }) => stored === undefined);
      const inTransfer = open.filter(({ acked, droppedAt }) => (acked?.at ?? droppedAt ?? event.at) >= event.at);
      const original = event.copy ? event.message : event.again;
      const again = original === undefined ? undefined : entries.findLast(({ stored }) => stored?.message === original);
      const missing = alike.filter(({ stored }) => stored === undefined);
      // If no uplink is in transfer, there are two cases. The message belongs to an uplink that the device has just dropped; or
      // to the oldest uplink that is not stored, because the clocks of another cloud and of the fleet differ by milliseconds.
      const late = missing.findLast(({ droppedAt }) => droppedAt !== undefined) ?? missing[0];
      const byOrder = inTransfer.at(-1) ?? (this.#isStored(entries, event) ? undefined : late);
      const isNew = this.#isNew(event);
      const matching = isNew ? (inTransfer.at(-1) ?? open.at(-1) ?? missing.at(-1)) : byOrder;
      const entry = again ?? (event.again === undefined ? matching : undefined);
      // The message may belong to an uplink that is not kept any longer.
      if (entry === undefined && isNew && this.#forgotten.has(event.serial)) return;
      this.#reader.stored?.(event, entry, alike.at(-1), missing.at(-1));
      if (entry === undefined) return;
      if (entry !== again) entry.unsure = open.length > 1;
      if (entry !== again || !event.copy) entry.stored = event;
    },
  };

  /** Judges the remaining uplinks when the trace has ended. */
  end(): void {
    for (const entries of this.#entries.values()) for (const entry of entries) this.#judge(entry);
  }

  /** Whether the message certainly has another content than all earlier ones of the device. */
  #isNew({ type, copy, again }: Stored): boolean {
    return this.#compared && type === 'data' && !copy && again === undefined;
  }

  #countBoots(serial: number): number {
    return this.#boots.get(serial) ?? 0;
  }

  #getSendings(serial: number): TrackedSending[] {
    const known = this.#entries.get(serial);
    if (known !== undefined) return known;
    const entries: TrackedSending[] = [];
    this.#entries.set(serial, entries);
    return entries;
  }

  /** Whether the uplink in transfer is already stored, so that the message is another copy of it. */
  #isStored(entries: readonly TrackedSending[], { at }: Stored): boolean {
    const last = entries.at(-1);
    return last?.stored !== undefined && (last.acked?.at ?? last.droppedAt ?? at) >= at;
  }

  #judge(entry: TrackedSending): void {
    if (entry.acked === undefined || entry.stored !== undefined || isStoredSession(entry)) return;
    this.#reader.lost?.(entry, entry.acked);
  }

  /** Removes the oldest settled uplinks; when there are still too many, judges and removes the oldest one. */
  #prune(entries: TrackedSending[]): void {
    let settled = 0;
    for (let i = entries.length - 1; i >= 0; i--) {
      const entry = entries[i];
      const over = entry?.droppedAt !== undefined || (entry?.acked !== undefined && entry.stored !== undefined);
      if (!over || ++settled <= MOST_SETTLED) continue;
      this.#forget(entry);
      entries.splice(i, 1);
    }
    if (entries.length <= MOST_ENTRIES) return;
    const oldest = entries.shift();
    if (oldest === undefined) return;
    this.#forget(oldest);
    this.#judge(oldest);
  }

  #forget({ sent, stored }: TrackedSending): void {
    if (stored === undefined) this.#forgotten.add(sent.serial);
  }
}

function findRepeated({ type }: Sent, boots: number, before: TrackedSending | undefined): TrackedSending | undefined {
  if (type !== 'session' || before?.sent.type !== 'session') return undefined;
  return before.boots !== boots || before.droppedAt !== undefined ? before : undefined;
}

/** Whether a session repeats a stored one: the cloud treats its packet as a repetition and acknowledges it. */
function isStoredSession({ sent, repeats }: TrackedSending): boolean {
  for (let earlier = repeats; earlier !== undefined; earlier = earlier.repeats) {
    if (earlier.heardAt !== undefined) return sent.at - earlier.heardAt <= REPETITION;
  }
  return false;
}
