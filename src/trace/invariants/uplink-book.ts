/**
 * Which stored message is which uplink. The device numbers its uplinks and the cloud names its messages, and neither
 * number travels on the wire: the two meet in the order of things. A device sends one message at a time, so what the cloud
 * stores is, of the uplinks of that type that had gone out by then, the last one that is not stored yet.
 *
 * What this cannot see: two uplinks of one device and one type that change places in the cloud while both are under
 * way, and an uplink with another content than the one that was sent.
 */
import { type Instant, minutes } from '../../kernel/time.js';
import type { Handlers } from '../dispatch.js';
import type { TraceEvent, UplinkType } from '../events.js';

type Stored = Extract<TraceEvent, { readonly kind: 'cloud.stored' }>;
type Sent = Extract<TraceEvent, { readonly kind: 'uplink.sent' }>;
type Acked = Extract<TraceEvent, { readonly kind: 'uplink.acked' }>;

/** An uplink that went out. */
export interface Sending {
  /** Counts the sendings of all devices; a body that goes out again is behind the others again. */
  readonly order: number;
  readonly sent: Sent;
  readonly acked: Acked | undefined;
  /** How the cloud took it, as a new message or as a copy of one. */
  readonly stored: Stored | undefined;
  /** Another uplink could have been the one that was stored. */
  readonly unsure: boolean;
}

interface Entry extends Sending {
  order: number;
  sent: Sent;
  acked: Acked | undefined;
  stored: Stored | undefined;
  unsure: boolean;
  droppedAt: Instant | undefined;
  /** Boots of the device until then. */
  readonly boots: number;
  /** The session before, of which this one is a copy byte for byte: the device sends it after a reboot, or when it has given up. */
  readonly repeats: Entry | undefined;
  /** When the cloud took something of its type last, with nothing newer under way: a transfer that is reset is stored again. */
  heardAt: Instant | undefined;
}

interface BookReader {
  /** The cloud has stored something; `sending` is undefined when nothing was under way that it could be. */
  readonly stored?: (event: Stored, sending: Sending | undefined, before: Sending | undefined) => void;
  /** It was acknowledged, and nothing was stored that it could be. */
  readonly lost?: (sending: Sending, acked: Acked) => void;
}

/**
 * Entries of a device that stay in the book. The observer of another cloud sees what was stored after the device knows of
 * it, and many may be acknowledged until then.
 */
const MOST_ENTRIES = 256;
/** For so long the cloud takes a packet of the same bytes for a repetition (wire protocol, 6.2 step 3). */
const REPETITION = minutes(1);
/** Entries of a device that are settled, and stay because something may still come that belongs to them. */
const MOST_SETTLED = 16;

export class UplinkBook {
  readonly #reader: BookReader;
  readonly #types: ReadonlySet<UplinkType> | undefined;
  /** By device, in the order in which they went out. */
  readonly #entries = new Map<number, Entry[]>();
  readonly #boots = new Map<number, number>();
  #order = 0;

  /** @param types those that count; undefined: all */
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
        this.#tidy(entries);
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
      // What had ended by then could only be stored late; what was under way comes first.
      const open = entries.filter(({ stored }) => stored === undefined);
      const underWay = open.filter(({ acked, droppedAt }) => (acked?.at ?? droppedAt ?? event.at) >= event.at);
      const again = event.copy ? entries.findLast(({ stored }) => stored?.message === event.message) : undefined;
      const missing = alike.filter(({ stored }) => stored === undefined);
      // What comes late was given up a moment ago. Otherwise the clocks of another cloud and of the fleet are some
      // milliseconds apart, and only the order helps.
      const late = missing.findLast(({ droppedAt }) => droppedAt !== undefined) ?? missing[0];
      const entry = again ?? underWay.at(-1) ?? (this.#stillStored(entries, event) ? undefined : late);
      this.#reader.stored?.(event, entry, alike.at(-1));
      if (entry === undefined || entry === again) return;
      entry.stored = event;
      entry.unsure = open.length > 1;
    },
  };

  /** The trace is over. */
  end(): void {
    for (const entries of this.#entries.values()) for (const entry of entries) this.#judge(entry);
  }

  #bootsOf(serial: number): number {
    return this.#boots.get(serial) ?? 0;
  }

  #of(serial: number): Entry[] {
    const known = this.#entries.get(serial);
    if (known !== undefined) return known;
    const entries: Entry[] = [];
    this.#entries.set(serial, entries);
    return entries;
  }

  /** Whether the uplink that was under way at that moment is stored already: then this is another copy of it. */
  #stillStored(entries: readonly Entry[], { at }: Stored): boolean {
    const last = entries.at(-1);
    return last?.stored !== undefined && (last.acked?.at ?? last.droppedAt ?? at) >= at;
  }

  #judge(entry: Entry): void {
    if (entry.acked === undefined || entry.stored !== undefined || isStoredSession(entry)) return;
    this.#reader.lost?.(entry, entry.acked);
  }

  /** Lets settled entries go, the oldest first; and where there are too many, the oldest ones with a verdict. */
  #tidy(entries: Entry[]): void {
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

function repeatedBy({ type }: Sent, boots: number, before: Entry | undefined): Entry | undefined {
  if (type !== 'session' || before?.sent.type !== 'session') return undefined;
  return before.boots !== boots || before.droppedAt !== undefined ? before : undefined;
}

/** Whether a session repeats one that is stored: to the cloud its packet is a repetition, and is acknowledged as one. */
function isStoredSession({ sent, repeats }: Entry): boolean {
  for (let earlier = repeats; earlier !== undefined; earlier = earlier.repeats) {
    if (earlier.heardAt !== undefined) return sent.at - earlier.heardAt <= REPETITION;
  }
  return false;
}
