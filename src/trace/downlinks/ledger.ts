/**
 * Follows every downlink that users queued, and every chunk of a firmware update, from events of the cloud and of the device.
 * Events of the cloud name a downlink by its id; events of the device contain only a fingerprint of the received content. The
 * cloud records the same fingerprint with each offer, so the two can be matched.
 *
 * Answers of the cloud (session, timestamp) are not followed.
 */
import { append } from '../../kernel/append.js';
import type { Instant, Millis } from '../../kernel/time.js';
import type { Handlers } from '../dispatch.js';
import type { DeliveryEvidence, DownlinkType } from '../events.js';
import { WaitAccount, type WaitStretch, type Waits } from './waits.js';

/** The stages of a downlink after it was queued, in the order in which a downlink normally reaches them. */
export const STAGES = ['contact', 'offered', 'received', 'delivered', 'executed', 'answered'] as const;
export type Stage = (typeof STAGES)[number];

/** Types of downlinks that users queue. */
export const USER_TYPES = ['config', 'shell', 'data'] as const;
/** Types of downlinks that the ledger follows. A `firmware` downlink is a chunk that the cloud queues for an update. */
export const TRACKED_TYPES = [...USER_TYPES, 'firmware'] as const;
export type TrackedType = (typeof TRACKED_TYPES)[number];

export interface DownlinkRecord {
  readonly id: string;
  readonly serial: number;
  readonly type: TrackedType;
  readonly queuedAt: Instant;
  /** What the cloud lacked to send it when it was queued. */
  readonly lacks: 'encoder' | undefined;
  /** The span of the API request that queued it, as the header `traceparent`; undefined if the caller sent none. */
  readonly traceparent: string | undefined;
  /** When the downlink reached each stage for the first time. */
  readonly reached: Readonly<Partial<Record<Stage, Instant>>>;
  /** The latest stage by time; undefined if the downlink was only queued. */
  readonly last: Stage | undefined;
  /** Number of times that the cloud offered it. */
  readonly attempts: number;
  /** Number of times that the device received it completely; more than 1 is an error of the transfer. */
  readonly receptions: number;
  readonly evidence: DeliveryEvidence | undefined;
  /** The device refused the downlink or a line of it, so that the downlink does not reach the stage `executed`. */
  readonly refused: boolean;
  /** The device refused only some lines of the downlink and executed the others, so that it may still answer. */
  readonly partly: boolean;
  readonly ended: DownlinkEnd | undefined;
  /** When the downlink was cancelled or expired; undefined if neither happened. */
  readonly endedAt: Instant | undefined;
  /** Whether no further event can change the record. */
  readonly closed: boolean;
  /** Time by cause of waiting, up to its last stage. */
  readonly waits: Waits;
  /** The waits in chronological order. */
  readonly stretches: readonly WaitStretch[];
  /** The waits until `end` in chronological order, without gaps; `end` may be before or after the last stage. */
  stretchesUntil(end: Instant): readonly WaitStretch[];
}

class TrackedDownlink implements DownlinkRecord {
  readonly reached: Partial<Record<Stage, Instant>> = {};
  readonly account: WaitAccount;
  fingerprint = '';
  lastOffer: Instant = 0;
  last: Stage | undefined;
  attempts = 0;
  receptions = 0;
  evidence: DeliveryEvidence | undefined;
  refused = false;
  partly = false;
  ended: DownlinkEnd | undefined;
  endedAt: Instant | undefined;

  constructor(
    readonly id: string,
    readonly serial: number,
    readonly type: TrackedType,
    readonly queuedAt: Instant,
    readonly lacks: 'encoder' | undefined,
    readonly traceparent: string | undefined,
  ) {
    this.account = new WaitAccount(queuedAt);
  }

  get waits(): Waits {
    return this.account.waits;
  }

  get stretches(): readonly WaitStretch[] {
    return this.account.stretches;
  }

  stretchesUntil(end: Instant): readonly WaitStretch[] {
    return this.account.stretchesUntil(end);
  }

  get closed(): boolean {
    if (this.ended !== undefined) return true;
    const { answered, executed, delivered } = this.reached;
    if (delivered === undefined) return false;
    if (expectsAnswer(this.type)) return answered !== undefined;
    return executed !== undefined || this.refused;
  }
}

/** Whether a device answers this type: shell with a message, a configuration with its new one. */
export function expectsAnswer(type: DownlinkType): boolean {
  return type === 'shell' || type === 'config';
}

/** How a downlink can end without its delivery. */
type DownlinkEnd = 'cancelled' | 'expired';

/** Outcome of a downlink. `delivered`: without an answer; `pending`: still in the queue. */
export type DownlinkOutcome = 'answered' | 'delivered' | 'pending' | DownlinkEnd;

export function findOutcome({ reached, ended }: DownlinkRecord): DownlinkOutcome {
  if (reached.answered !== undefined) return 'answered';
  if (reached.delivered !== undefined) return 'delivered';
  return ended ?? 'pending';
}

/** Time from the API to the last stage that the downlink reached, in whole milliseconds; 0 when it was only queued. */
export function totalTime(record: DownlinkRecord): Millis {
  return record.last === undefined ? 0 : timeTo(record, record.last);
}

/** Time from the API to a stage that the downlink reached, in whole milliseconds; 0 when it was not reached. */
export function timeTo({ reached, queuedAt }: DownlinkRecord, stage: Stage): Millis {
  return Math.round(reached[stage] ?? queuedAt) - Math.round(queuedAt);
}

/** The time to each stage that the downlink reached, like {@link timeTo}. */
export function listStages(record: DownlinkRecord): Readonly<Partial<Record<Stage, Millis>>> {
  const reached = STAGES.filter((stage) => record.reached[stage] !== undefined);
  return Object.fromEntries(reached.map((stage) => [stage, timeTo(record, stage)]));
}

export class DownlinkLedger {
  readonly #byId = new Map<string, TrackedDownlink>();
  readonly #byDevice = new Map<number, TrackedDownlink[]>();
  /** Downlinks whose waits are still being counted, by device. */
  readonly #open = new Map<number, TrackedDownlink[]>();
  /**
   * The downlink that was closed last, by device. The event `cloud.took` may follow and move a part of its time to `service`.
   */
  readonly #lastClosed = new Map<number, TrackedDownlink>();
  readonly #onStage: (record: DownlinkRecord, stage: Stage) => void;

  /** @param onStage called once for every stage that a downlink reaches */
  constructor(onStage: (record: DownlinkRecord, stage: Stage) => void = () => {}) {
    this.#onStage = onStage;
  }

  /** All downlinks that are followed, in the order in which they were queued. */
  get records(): Iterable<DownlinkRecord> {
    // An iterator could be read only once.
    return { [Symbol.iterator]: () => this.#byId.values() };
  }

  readonly on: Handlers = {
    'downlink.queued': (event) => {
      const { at, serial, downlink, type, lacks, traceparent } = event;
      if (isTracked(type)) this.#queue(new TrackedDownlink(downlink, serial, type, at, lacks, traceparent));
      // The cloud creates this downlink itself as an answer, so the device has just contacted it.
      else this.#charge(serial, (account) => account.takeContact(at));
    },
    'downlink.contact': (event) => {
      this.#charge(event.serial, (account) => account.takeContact(event.at));
      this.#reach(this.#byId.get(event.downlink), 'contact', event.at, (account) => account.takeFirstContact(event.at));
    },
    'downlink.offered': (event) => {
      this.#charge(event.serial, (account) => account.takeContact(event.at));
      const entry = this.#byId.get(event.downlink);
      if (entry === undefined) return;
      entry.attempts = Math.max(entry.attempts, event.attempt);
      entry.fingerprint = event.print;
      entry.lastOffer = event.at;
      this.#reach(entry, 'offered', event.at, (account) => account.takeFirstContact(event.at));
    },
    'downlink.received': (event) => {
      this.#charge(event.serial, (account) => account.takeContact(event.at));
      const entry = this.#findInFlight(event.serial, event.type, event.print);
      if (entry === undefined) return;
      entry.receptions++;
      this.#reach(entry, 'received', event.at, (account) => account.takeReceived(event.at));
    },
    'downlink.executed': (event) => {
      const entry = this.#findAtWork(event.serial, event.type, event.print);
      if (entry === undefined) return;
      entry.refused = !event.ok;
      entry.partly = event.partly ?? false;
      if (event.ok) this.#reach(entry, 'executed', event.at, (account) => account.executed(event.at));
      else this.#refuse(entry, event.at);
    },
    'downlink.delivered': (event) => {
      const entry = this.#byId.get(event.downlink);
      if (entry === undefined) return;
      entry.evidence = event.evidence;
      this.#reach(entry, 'delivered', event.at, (account) => account.delivered(event.at));
    },
    'downlink.answered': (event) =>
      this.#reach(this.#byId.get(event.downlink), 'answered', event.at, (account) => account.takeStage(event.at)),
    'downlink.cancelled': (event) => this.#end(event.downlink, 'cancelled', event.at),
    'downlink.expired': (event) => this.#end(event.downlink, 'expired', event.at),
    'device.boot': (event) => this.#charge(event.serial, (account) => account.boot(event.at)),
    'device.wake': ({ at, serial, why }) => this.#charge(serial, (account) => account.wake(at, why === 'poll')),
    'poll.failed': ({ serial }) => this.#charge(serial, (account) => account.pollFailed()),
    'device.repeat': (event) => this.#charge(event.serial, (account) => account.repeat(event.at, event.waited)),
    'uplink.sent': (event) => this.#charge(event.serial, (account) => account.takeUplink(event.at)),
    'uplink.acked': (event) => this.#charge(event.serial, (account) => account.takeContact(event.at)),
    'cloud.stored': (event) => this.#charge(event.serial, (account) => account.takeContact(event.at)),
    'cloud.took': (event) => {
      this.#charge(event.serial, (account) => account.takeServed(event.at, event.took));
      this.#lastClosed.get(event.serial)?.account.takeServedBefore(event.at, event.took);
    },
  };

  #queue(entry: TrackedDownlink): void {
    this.#byId.set(entry.id, entry);
    append(this.#byDevice, entry.serial, entry);
    append(this.#open, entry.serial, entry);
  }

  /** Applies `charge` to the accounts of the open downlinks of a device. */
  #charge(serial: number, charge: (account: WaitAccount) => void): void {
    const open = this.#open.get(serial);
    if (open !== undefined) for (const entry of open) charge(entry.account);
  }

  #reach(entry: TrackedDownlink | undefined, stage: Stage, at: Instant, charge: (account: WaitAccount) => void): void {
    if (entry === undefined || entry.reached[stage] !== undefined) return;
    // Events of another cloud are read from its API. Their times are those of its clock, which may be before `queuedAt`, and
    // they arrive after later events of the device.
    const time = Math.max(at, entry.queuedAt);
    entry.reached[stage] = time;
    const last = entry.last === undefined ? undefined : entry.reached[entry.last];
    if (last === undefined || time >= last) entry.last = stage;
    charge(entry.account);
    entry.account.settle(Math.max(time, last ?? time));
    this.#onStage(entry, stage);
    if (entry.closed) this.#close(entry);
  }

  /** Notes a refusal, which is not a stage: its time counts for the next one. */
  #refuse(entry: TrackedDownlink, at: Instant): void {
    entry.account.executed(at);
    if (entry.closed) this.#close(entry);
  }

  #end(id: string, ended: DownlinkEnd, at: Instant): void {
    const entry = this.#byId.get(id);
    if (entry === undefined || entry.ended !== undefined) return;
    entry.ended = ended;
    entry.endedAt = Math.max(at, entry.queuedAt);
    this.#close(entry);
  }

  #close(entry: TrackedDownlink): void {
    this.#lastClosed.set(entry.serial, entry);
    const rest = (this.#open.get(entry.serial) ?? []).filter((other) => other !== entry);
    if (rest.length > 0) this.#open.set(entry.serial, rest);
    else this.#open.delete(entry.serial);
  }

  /**
   * The downlink that the device has just received. If several have this content, it is the one that the cloud offered last.
   */
  #findInFlight(serial: number, type: DownlinkType, fingerprint: string): TrackedDownlink | undefined {
    return this.#listAlike(serial, type, fingerprint).reduce<TrackedDownlink | undefined>(
      (latest, entry) => (latest !== undefined && latest.lastOffer > entry.lastOffer ? latest : entry),
      undefined,
    );
  }

  /**
   * The downlink that the device has just executed or refused. If several have this content, it is the first one that was
   * received and not yet executed. Downlinks that were refused before are chosen last.
   */
  #findAtWork(serial: number, type: DownlinkType, fingerprint: string): TrackedDownlink | undefined {
    const open = this.#listAlike(serial, type, fingerprint).filter(
      ({ reached }) => reached.received !== undefined && reached.executed === undefined,
    );
    return open.find(({ refused }) => !refused) ?? open[0];
  }

  /** The offered downlinks of a device with this content; several when users queued the same content more than once. */
  #listAlike(serial: number, type: DownlinkType, fingerprint: string): readonly TrackedDownlink[] {
    if (!isTracked(type)) return [];
    return (this.#byDevice.get(serial) ?? []).filter(
      (entry) => entry.attempts > 0 && entry.fingerprint === fingerprint,
    );
  }
}

/** Whether users queue this type. The cloud queues the other types: its own answers, and the chunks of firmware updates. */
export function isOfUsers(type: DownlinkType): boolean {
  return (USER_TYPES as readonly string[]).includes(type);
}

/** Whether the ledger follows downlinks of this type. */
export function isTracked(type: DownlinkType): type is TrackedType {
  return (TRACKED_TYPES as readonly string[]).includes(type);
}
