/**
 * Matches stored messages with uplinks. The device numbers its uplinks, the cloud assigns ids to messages, and neither is
 * transmitted: only the order links the two. A device sends one message at a time. So a stored message belongs to the latest
 * uplink of its type that was sent and is not stored yet.
 *
 * Two errors of a cloud stay undetected: it exchanges two uplinks of one device and type while both are in transfer, or it
 * stores a message with other content than the uplink.
 */
import { type Instant, minutes } from '../../kernel/time.js';
import type { Handlers } from '../dispatch.js';
import type { TraceEvent, UplinkType } from '../events.js';

type Stored = Extract<TraceEvent, { readonly kind: 'cloud.stored' }>;
type Sent = Extract<TraceEvent, { readonly kind: 'uplink.sent' }>;
type Acked = Extract<TraceEvent, { readonly kind: 'uplink.acked' }>;

/** An uplink that a device sent. */
export interface Sending {
  /** Position in the order of sending, over all devices; a body that is sent again gets a new position. */
  readonly order: number;
  readonly sent: Sent;
  readonly acked: Acked | undefined;
  /** The event with which the cloud stored the uplink, as a new message or as a copy. */
  readonly stored: Stored | undefined;
  /** The stored message could also be another uplink. */
  readonly unsure: boolean;
}

interface TrackedSending extends Sending {
  order: number;
  sent: Sent;
  acked: Acked | undefined;
  stored: Stored | undefined;
  unsure: boolean;
  droppedAt: Instant | undefined;
  /** Number of boots of the device before it was sent. */
  readonly boots: number;
  /** The previous session, if this one is an identical copy of it, sent after a reboot or after a failed transfer. */
  readonly repeats: TrackedSending | undefined;
  /**
   * When the cloud last stored a message of this type while this uplink was the newest. After a reset of the transfer, it is
   * stored again.
   */
  heardAt: Instant | undefined;
}

interface BookReader {
  /** The cloud has stored a message; `sending` is undefined when it matches no uplink. `before`: the newest of its type. */
  readonly stored?: (event: Stored, sending: Sending | undefined, before: Sending | undefined) => void;
  /** The cloud has acknowledged `sending`, and no stored message matches it. */
  readonly lost?: (sending: Sending, acked: Acked) => void;
}

/**
 * Uplinks that are kept per device. The observer of another cloud sees a stored message later than the device receives the
 * acknowledgement. Until then, the device may send many more.
 */
const MOST_ENTRIES = 256;
/** For this time the cloud treats an identical packet as a repetition (wire protocol, 6.2 step 3). */
const REPETITION = minutes(1);
/** Settled uplinks that are kept per device, because later events may still belong to them. */
const MOST_SETTLED = 16;

export class UplinkBook {
  readonly #reader: BookReader;
  readonly #types: ReadonlySet<UplinkType> | undefined;
  /** By device, in the order of sending. */
  readonly #entries = new Map<number, TrackedSending[]>();
  readonly #boots = new Map<number, number>();
  #order = 0;

  /** @param types the types to match; undefined: all */
  constructor(reader: BookReader, types?: readonly UplinkType[]) {
    this.#reader = reader;
    this.#types = types && new Set(types);
  }

  readonly on: Handlers = {
    'device.boot': ({ serial }) => {
      this.#boots.set(serial, this.#bootsOf(serial) + 1);
    },
    'uplink.sent': (event) => {
      if (this.#types?.has(event.type) === false) return;
      const order = ++this.#order;
      const entries = this.#of(event.serial);
      const index = entries.findIndex(({ sent }) => sent.uplink === event.uplink);
      const [known] = index < 0 ? [] : entries.splice(index, 1);
      if (known !== undefined) entries.push(Object.assign(known, { order, droppedAt: undefined }));
      else {
        const fresh = { acked: undefined, stored: undefined, unsure: false, droppedAt: undefined, heardAt: undefined };
        const boots = this.#bootsOf(event.serial);
        entries.push({ order, sent: event, boots, repeats: repeatedBy(event, boots, entries.at(-1)), ...fresh });
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
      const alike = this.#of(event.serial).filter(({ sent }) => sent.type === event.type);
      const entries = alike.filter(({ sent }) => sent.at <= event.at);
      const newest = entries.at(-1);
      if (newest !== undefined) newest.heardAt = event.at;
      // An uplink that is still in transfer comes first; one that has ended can only be stored late.
      const open = entries.filter(({ stored }) => stored === undefined);
      const inTransfer = open.filter(({ acked, droppedAt }) => (acked?.at ?? droppedAt ?? event.at) >= event.at);
      const again = event.copy ? entries.findLast(({ stored }) => stored?.message === event.message) : undefined;
      const missing = alike.filter(({ stored }) => stored === undefined);
      // A late message was dropped a moment ago; or the clocks of another cloud and of the fleet differ by some
      // milliseconds, and only the order can decide.
      const late = missing.findLast(({ droppedAt }) => droppedAt !== undefined) ?? missing[0];
      const entry = again ?? inTransfer.at(-1) ?? (this.#stillStored(entries, event) ? undefined : late);
      this.#reader.stored?.(event, entry, alike.at(-1));
      if (entry === undefined || entry === again) return;
      entry.stored = event;
      entry.unsure = open.length > 1;
    },
  };

  /** Judges the remaining uplinks when the trace has ended. */
  end(): void {
    for (const entries of this.#entries.values()) for (const entry of entries) this.#judge(entry);
  }

  #bootsOf(serial: number): number {
    return this.#boots.get(serial) ?? 0;
  }

  #of(serial: number): TrackedSending[] {
    const known = this.#entries.get(serial);
    if (known !== undefined) return known;
    const entries: TrackedSending[] = [];
    this.#entries.set(serial, entries);
    return entries;
  }

  /** Whether the uplink in transfer is stored already: then the message is another copy of it. */
  #stillStored(entries: readonly TrackedSending[], { at }: Stored): boolean {
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
      if (over && ++settled > MOST_SETTLED) entries.splice(i, 1);
    }
    if (entries.length <= MOST_ENTRIES) return;
    const oldest = entries.shift();
    if (oldest !== undefined) this.#judge(oldest);
  }
}

function repeatedBy({ type }: Sent, boots: number, before: TrackedSending | undefined): TrackedSending | undefined {
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
