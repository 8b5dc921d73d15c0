/**
 * The life of every downlink that users queued, put together from both ends: the cloud names it by its id, the device
 * only knows the content that it received. The two meet in the print, which the cloud notes with each offer.
 *
 * Downlinks that the cloud makes itself (session, timestamp) are not counted here.
 */
import type { Instant, Millis } from '../../kernel/time.js';
import type { Handlers } from '../dispatch.js';
import type { DeliveryEvidence, DownlinkType } from '../events.js';
import { WaitAccount, type WaitStretch, type Waits } from './waits.js';

/** The stations of a downlink after it was queued, in the order in which they are normally reached. */
export const STAGES = ['contact', 'offered', 'received', 'delivered', 'executed', 'answered'] as const;
export type Stage = (typeof STAGES)[number];

/** Types that users queue. */
export const USER_TYPES = ['config', 'shell', 'data', 'firmware'] as const;
export type UserType = (typeof USER_TYPES)[number];

export interface DownlinkRecord {
  readonly id: string;
  readonly serial: number;
  readonly type: UserType;
  readonly queuedAt: Instant;
  /** When each stage was reached for the first time. */
  readonly reached: Readonly<Partial<Record<Stage, Instant>>>;
  /** The stage that was reached last. */
  readonly last: Stage | undefined;
  readonly attempts: number;
  /** Times that it was whole on the device; 2 is once too often. */
  readonly receptions: number;
  readonly evidence: DeliveryEvidence | undefined;
  /** The device could not do what it says. */
  readonly refused: boolean;
  readonly ended: 'cancelled' | 'expired' | undefined;
  /** What it waited for, up to its last stage. */
  readonly waits: Waits;
  /** The same, in order of time. */
  readonly stretches: readonly WaitStretch[];
}

class Entry implements DownlinkRecord {
  readonly reached: Partial<Record<Stage, Instant>> = {};
  readonly account: WaitAccount;
  print = '';
  lastOffer: Instant = 0;
  last: Stage | undefined;
  attempts = 0;
  receptions = 0;
  evidence: DeliveryEvidence | undefined;
  refused = false;
  ended: 'cancelled' | 'expired' | undefined;

  constructor(
    readonly id: string,
    readonly serial: number,
    readonly type: UserType,
    readonly queuedAt: Instant,
  ) {
    this.account = new WaitAccount(queuedAt);
  }

  get waits(): Waits {
    return this.account.waits;
  }

  get stretches(): readonly WaitStretch[] {
    return this.account.stretches;
  }

  /** Nothing more will happen to it that counts. */
  get closed(): boolean {
    if (this.ended !== undefined) return true;
    const { answered, executed, delivered } = this.reached;
    if (isAnswered(this.type)) return answered !== undefined && delivered !== undefined;
    return executed !== undefined && delivered !== undefined;
  }
}

/** Whether the cloud ever sees an answer to this type: shell answers come as messages, configurations are reported. */
export function isAnswered(type: UserType): boolean {
  return type === 'shell' || type === 'config';
}

/** From the API to its last station. */
export function totalTime(record: DownlinkRecord): Millis {
  const end = record.last === undefined ? record.queuedAt : (record.reached[record.last] ?? record.queuedAt);
  return Math.round(end) - Math.round(record.queuedAt);
}

export class DownlinkLedger {
  readonly #byId = new Map<string, Entry>();
  readonly #byDevice = new Map<number, Entry[]>();
  /** The ones whose waits are still being counted, by device. */
  readonly #open = new Map<number, Entry[]>();
  /** By device. The service may still say that it was at work while the last station was reached. */
  readonly #lastClosed = new Map<number, Entry>();
  readonly #onStage: (record: DownlinkRecord, stage: Stage) => void;

  /** @param onStage is told once for every stage that a downlink reaches */
  constructor(onStage: (record: DownlinkRecord, stage: Stage) => void = () => {}) {
    this.#onStage = onStage;
  }

  /** In the order in which they were queued. */
  get records(): Iterable<DownlinkRecord> {
    return this.#byId.values();
  }

  readonly on: Handlers = {
    'downlink.queued': (event) => {
      if (isUserType(event.type)) this.#queue(new Entry(event.downlink, event.serial, event.type, event.at));
      // A session answer is queued because the device has called.
      else this.#tell(event.serial, (account) => account.contact(event.at));
    },
    'downlink.contact': (event) => {
      this.#tell(event.serial, (account) => account.contact(event.at));
      this.#reach(this.#byId.get(event.downlink), 'contact', event.at, (account) => account.firstContact(event.at));
    },
    'downlink.offered': (event) => {
      this.#tell(event.serial, (account) => account.contact(event.at));
      const entry = this.#byId.get(event.downlink);
      if (entry === undefined) return;
      entry.attempts = Math.max(entry.attempts, event.attempt);
      entry.print = event.print;
      entry.lastOffer = event.at;
      this.#reach(entry, 'offered', event.at, (account) => account.firstContact(event.at));
    },
    'downlink.received': (event) => {
      this.#tell(event.serial, (account) => account.contact(event.at));
      const entry = this.#inFlight(event.serial, event.type, event.print);
      if (entry === undefined) return;
      entry.receptions++;
      this.#reach(entry, 'received', event.at, (account) => account.received(event.at));
    },
    'downlink.executed': (event) => {
      const entry = this.#atWork(event.serial, event.type, event.print);
      if (entry === undefined) return;
      entry.refused ||= !event.ok;
      this.#reach(entry, 'executed', event.at, (account) => account.executed(event.at));
    },
    'downlink.delivered': (event) => {
      const entry = this.#byId.get(event.downlink);
      if (entry === undefined) return;
      entry.evidence = event.evidence;
      this.#reach(entry, 'delivered', event.at, (account) => account.delivered(event.at));
    },
    'downlink.answered': (event) =>
      this.#reach(this.#byId.get(event.downlink), 'answered', event.at, (account) => account.station(event.at)),
    'downlink.cancelled': (event) => this.#end(event.downlink, 'cancelled'),
    'downlink.expired': (event) => this.#end(event.downlink, 'expired'),
    'device.boot': (event) => this.#tell(event.serial, (account) => account.boot(event.at)),
    'device.wake': ({ at, serial, why }) => this.#tell(serial, (account) => account.wake(at, why === 'poll')),
    'poll.failed': ({ serial }) => this.#tell(serial, (account) => account.pollFailed()),
    'device.repeat': (event) => this.#tell(event.serial, (account) => account.repeat(event.at, event.waited)),
    'uplink.sent': (event) => this.#tell(event.serial, (account) => account.uplinkSent(event.at)),
    'uplink.acked': (event) => this.#tell(event.serial, (account) => account.contact(event.at)),
    'cloud.stored': (event) => this.#tell(event.serial, (account) => account.contact(event.at)),
    'cloud.took': (event) => {
      this.#tell(event.serial, (account) => account.served(event.at, event.took));
      this.#lastClosed.get(event.serial)?.account.servedBefore(event.at, event.took);
    },
  };

  #queue(entry: Entry): void {
    this.#byId.set(entry.id, entry);
    append(this.#byDevice, entry.serial, entry);
    append(this.#open, entry.serial, entry);
  }

  /** Tells the open downlinks of a device; most events find none. */
  #tell(serial: number, what: (account: WaitAccount) => void): void {
    const open = this.#open.get(serial);
    if (open !== undefined) for (const entry of open) what(entry.account);
  }

  #reach(entry: Entry | undefined, stage: Stage, at: Instant, charge: (account: WaitAccount) => void): void {
    if (entry === undefined || entry.reached[stage] !== undefined) return;
    entry.reached[stage] = at;
    entry.last = stage;
    charge(entry.account);
    entry.account.settle();
    this.#onStage(entry, stage);
    if (entry.closed) this.#close(entry);
  }

  #end(id: string, how: 'cancelled' | 'expired'): void {
    const entry = this.#byId.get(id);
    if (entry === undefined || entry.ended !== undefined) return;
    entry.ended = how;
    this.#close(entry);
  }

  #close(entry: Entry): void {
    this.#lastClosed.set(entry.serial, entry);
    const rest = (this.#open.get(entry.serial) ?? []).filter((other) => other !== entry);
    if (rest.length > 0) this.#open.set(entry.serial, rest);
    else this.#open.delete(entry.serial);
  }

  /** The downlink that the device has just received: of those with this content, the one that was offered last. */
  #inFlight(serial: number, type: DownlinkType, print: string): Entry | undefined {
    return this.#alike(serial, type, print).reduce<Entry | undefined>(
      (latest, entry) => (latest !== undefined && latest.lastOffer > entry.lastOffer ? latest : entry),
      undefined,
    );
  }

  /** The downlink that the device has just executed: of those with this content, the first that it received and did not do. */
  #atWork(serial: number, type: DownlinkType, print: string): Entry | undefined {
    return this.#alike(serial, type, print).find(
      ({ reached }) => reached.received !== undefined && reached.executed === undefined,
    );
  }

  /** The offered downlinks of a device with this content: more than one when a user queued the same thing twice. */
  #alike(serial: number, type: DownlinkType, print: string): readonly Entry[] {
    if (!isUserType(type)) return [];
    return (this.#byDevice.get(serial) ?? []).filter((entry) => entry.attempts > 0 && entry.print === print);
  }
}

/** Whether users queue this type; the others are the cloud's own. */
export function isUserType(type: DownlinkType): type is UserType {
  return (USER_TYPES as readonly string[]).includes(type);
}

function append(map: Map<number, Entry[]>, serial: number, entry: Entry): void {
  const list = map.get(serial);
  if (list) list.push(entry);
  else map.set(serial, [entry]);
}
