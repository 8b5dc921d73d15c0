/**
 * The delivery core decides which downlink is delivered when, and stores uplinks. The gateways pass the messages and polls of
 * devices to it; the API queues the downlinks of users.
 *
 * A gateway makes its calls for one device strictly one after another. The result of a call is durable when the call resolves.
 */

import { LONGEST_INTERVAL, noteContact } from '../../contract/health.js';
import { isBytes } from '../../kernel/bytes.js';
import type { EdgeClock } from '../../kernel/clock.js';
import { messageOf } from '../../kernel/errors.js';
import type { Log } from '../../kernel/log.js';
import type { Millis } from '../../kernel/time.js';
import { TYPE } from '../../protocol/messages/index.js';
import type { CloudEvent, DeliveryEvidence, DownlinkType, Trace } from '../../trace/events.js';
import { Updates } from '../firmware/updates.js';
import type { History } from '../history/history.js';
import { type DownlinkRequest, type Downlinks, LONGEST_QUEUE } from '../interfaces/downlinks.js';
import type { Forwarding } from '../interfaces/forwarding.js';
import { Expiry } from '../maintenance/expiry.js';
import type { Ids } from '../store/ids.js';
import { inOrder } from '../store/in-order.js';
import { newMessage } from '../store/new-message.js';
import { OneByOne } from '../store/one-by-one.js';
import { untilUndisturbed } from '../store/records.js';
import {
  type Change,
  ConflictError,
  type DeviceRow,
  type Id,
  isGone,
  type MessageRow,
  NO_CODEC,
  type Store,
  StoreUnavailable,
  type WaitingRow,
} from '../store/store.js';
import { Codecs } from './codecs.js';
import { currentRules } from './current-rules.js';
import {
  type DeviceSession,
  dequeueWhile,
  dropLongContent,
  findNextDownlink,
  insertInto,
  listUnwritten,
  makeQueued,
  needsProof,
  type QueuedDownlink,
  type Wanted,
} from './device-session.js';
import { DeviceSessions } from './device-sessions.js';
import { requestBody } from './down-messages.js';
import { DownlinkEncoder } from './downlink-encoder.js';
import { DownlinkStates } from './downlink-states.js';
import { type ChunkQueue, FirmwareQueue } from './firmware-queue.js';
import { type AckResult, Offers } from './offers.js';
import { type Arrival, type EarlierCopy, type Received, UplinkHandler } from './uplinks.js';

interface CoreOptions {
  readonly store: Store;
  readonly clock: EdgeClock;
  readonly ids: Ids;
  readonly trace: Trace;
  readonly log: Log;
  /** Forwards messages to connectors. Default: none. */
  readonly forwarding?: Forwarding | undefined;
  /** How long an undelivered downlink stays pending, and an update open without progress. Default 30 days (wire W-33). */
  readonly expiry?: Millis | undefined;
  /** Pause between two batches of downlinks that expire. Default: that of {@link Expiry}. */
  readonly batchPause?: Millis;
  readonly earlierCopy?: EarlierCopy | undefined;
  /** Left out if no history is kept. */
  readonly history?: Pick<History, 'noteReport' | 'noteDelivery'> | undefined;
}

type QueuedEvent = Extract<CloudEvent, { readonly kind: 'downlink.queued' }>;

/** Types of uplinks that report on a firmware update. */
const UPDATE_REPORTS: ReadonlySet<number> = new Set([TYPE['create-session'], TYPE['upload-firmware']]);

export class CloudCore implements Downlinks {
  readonly firmware: FirmwareQueue;
  readonly #store: Store;
  readonly #clock: EdgeClock;
  readonly #ids: Ids;
  readonly #trace: Trace;
  readonly #log: Log;
  readonly #forwarding: Forwarding | undefined;
  readonly #expiry: Expiry;
  readonly #history: CoreOptions['history'];
  readonly #states: DownlinkStates;
  readonly #encoder: DownlinkEncoder;
  readonly #updates: Updates;
  /** Downlinks that are being queued, by device: the ids of messages of a device are stored in their order. */
  readonly #queueing = new OneByOne();
  readonly #uplinks: UplinkHandler;
  readonly #sessions: DeviceSessions;
  readonly #offers: Offers;

  constructor(options: CoreOptions) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#ids = options.ids;
    this.#trace = options.trace;
    this.#log = options.log;
    this.#forwarding = options.forwarding;
    this.#history = options.history;
    this.#states = new DownlinkStates(options);
    this.#updates = new Updates(options);
    const codecs = new Codecs(options.store);
    this.#encoder = new DownlinkEncoder({ ...options, codecs, updates: this.#updates });
    this.#uplinks = new UplinkHandler({ ...options, codecs, updates: this.#updates });
    this.firmware = new FirmwareQueue({ ...options, updates: this.#updates, queue: this.#makeChunkQueue() });
    this.#sessions = new DeviceSessions({ ...options, onRead: (session) => this.firmware.readUpdate(session) });
    this.#offers = new Offers({
      ...options,
      states: this.#states,
      sessions: this.#sessions,
      pack: (session, queued) => this.#pack(session, queued),
      confirm: (session, queued) => this.confirm(session, 'final-ack', queued),
      isOverdue: (row) => this.#expiry.isOverdue(row),
    });
    this.#expiry = new Expiry(options, {
      downlink: (row) => this.#expire(row),
      update: (row) => this.firmware.expire(row),
    });
  }

  /** The cached session of a device; undefined if it is not cached, or stale because another service has changed the device. */
  getFreshSession(serial: number): DeviceSession | undefined {
    return this.#sessions.getFresh(serial);
  }

  /** Reads a device and its queue from the store; undefined if the serial number is not registered. */
  load(serial: number): Promise<DeviceSession | undefined> {
    return this.#sessions.load(serial);
  }

  /** Records that a packet of the device has arrived. */
  noteContact(session: DeviceSession): void {
    this.#sessions.claim(session);
    const fresh = session.queue.filter((queued) => !queued.contacted && !this.#expiry.isOverdue(queued.row));
    if (fresh.length === 0) return;
    for (const queued of fresh) {
      queued.contacted = true;
      const { serial } = session.device;
      this.#trace.emit({ kind: 'downlink.contact', at: this.#clock.now, serial, downlink: queued.row.id });
    }
    this.#states.noteContact(fresh.map(({ row }) => row));
  }

  /** Whether other services share the store. */
  get shared(): boolean {
    return this.#sessions.shared;
  }

  /** Records that a poll came from an unproven address, so that it fetches no downlinks of users; once for each downlink. */
  noteUnprovenPoll(session: DeviceSession): void {
    const waiting = session.queue.filter(({ row, awaitsProof }) => !awaitsProof && needsProof(row.type));
    if (waiting.length === 0) return;
    for (const queued of waiting) queued.awaitsProof = true;
    this.#states.noteUnprovenPoll(waiting.map(({ row }) => row));
  }

  /**
   * Records that the device has polled, which is a contact like a message. A poll soon after another contact, such as a report,
   * is not recorded: it would cost a commit, and would not change the health of the device.
   */
  notePoll(session: DeviceSession): void {
    const { id, lastContact, contactEvery } = session.device;
    const now = this.#clock.wall;
    if (lastContact !== null && now - lastContact <= (contactEvery ?? LONGEST_INTERVAL) / 2) return;
    const change = noteContact(session.device, now);
    session.device = { ...session.device, ...change };
    this.#states.commitLater([{ kind: 'device.change', id, change }]);
  }

  /** True if a downlink can be offered now, other than `except`, and to an address that is proven or not. */
  hasWaiting(session: DeviceSession, { except, isProven }: Pick<Wanted, 'except' | 'isProven'> = {}): boolean {
    return findNextDownlink(session, { except, isProven, isOverdue: this.#expiry.isOverdue }) !== undefined;
  }

  /**
   * Stores an uplink message.
   * @param message type byte and value, or what has another form in JSON than in CBOR
   * @returns true if the message is durable, or a copy of a stored message; false if it is rejected (wire W-35)
   * @throws ConflictError `device` if the device has been deleted; its serial number may belong to another device
   */
  async accept(session: DeviceSession, message: Received, arrival: Arrival = {}): Promise<boolean> {
    const aboutUpdate = isBytes(message) ? UPDATE_REPORTS.has(message[0] ?? -1) : message.kind === 'create-session';
    if (!aboutUpdate) {
      const accepted = await this.#accept(session, message, arrival);
      // A stalled download is restarted here as well as at polls, because some devices never poll.
      if (session.update) await this.firmware.noteActivity(session);
      return accepted;
    }
    return this.#updates.inTurn(session.device.id, async () => {
      const accepted = await this.#accept(session, message, arrival);
      if (session.update) await this.firmware.readUpdate(session);
      return accepted;
    });
  }

  async #accept(session: DeviceSession, message: Received, arrival: Arrival): Promise<boolean> {
    // Confirmed downlinks whose commit failed are committed first, because the message may answer one of them.
    for (const queued of listUnwritten(session)) await this.#confirmDelivery(session, queued.confirmed, queued);
    const accepted = await this.#uplinks.accept(session, message, arrival).catch(async (error: unknown) => {
      if (isGone(error)) await this.forget(session.device.serial);
      throw error;
    });
    if (accepted === 'refused') return false;
    if (accepted === 'copy') {
      // Another service may have stored the first copy, and queued downlinks in response to it.
      if (this.#sessions.shared) await this.#sessions.refresh(session);
      return true;
    }
    if (accepted.type === 'data') this.#history?.noteReport(session.device.spaceId);
    if (accepted.update) await this.firmware.takeProgress(session, accepted.update);
    for (const row of accepted.queue) this.#enqueue(session, row);
    return true;
  }

  /** If true, {@link take} would return undefined. The check needs no store access, which makes most polls cheap. */
  hasNothing(session: DeviceSession, isProven = true): boolean {
    const isEnding = session.queue.some((queued) => this.#expiry.isOverdue(queued.row));
    return (
      !this.#sessions.shared && session.update === undefined && !isEnding && !this.hasWaiting(session, { isProven })
    );
  }

  /** Encodes the next downlink, if any, and makes the offer durable. It stays queued until the device confirms it. */
  async take(session: DeviceSession, isProven = true): Promise<Uint8Array | undefined> {
    if (this.#sessions.shared) await this.#sessions.refresh(session);
    await this.firmware.noteActivity(session);
    for (const queued of listUnwritten(session)) await this.#confirmDelivery(session, queued.confirmed, queued);
    await this.endOverdue(session.queue.map((queued) => queued.row));
    return this.#offers.offerNext(session, isProven);
  }

  /** Commits that the device has stored the downlink with this id; the result names the reason of a refusal. */
  acknowledge(session: DeviceSession, id: Id): Promise<AckResult> {
    return this.#offers.acknowledge(session, id);
  }

  /** Returns the body of a queued downlink. The queue does not contain long bodies, so they are read from the store. */
  readBody(row: WaitingRow): Promise<unknown> {
    return this.#encoder.readBody(row);
  }

  /** Commits that a downlink (default: that in flight) is `sent`. False without one, or if it had already ended. */
  async confirm(session: DeviceSession, evidence: DeliveryEvidence, queued = session.inFlight): Promise<boolean> {
    session.inFlight = undefined;
    if (queued?.row.type !== 'firmware') return this.#confirmDelivery(session, evidence, queued);
    return this.#updates.inTurn(queued.row.deviceId, () => this.#confirmDelivery(session, evidence, queued));
  }

  async #confirmDelivery(
    session: DeviceSession,
    evidence: DeliveryEvidence,
    queued: QueuedDownlink | undefined,
  ): Promise<boolean> {
    // The downlink may have been cancelled, or its device deleted, while it was in flight.
    if (queued === undefined || !session.queue.includes(queued)) return false;
    const { id } = queued.row;
    queued.confirmed = evidence;
    const write = async () => {
      const more = queued.row.type === 'firmware' ? await this.firmware.takeDelivered(session, queued.row) : [];
      const forwarded = await this.#forwarding?.deliveries(session.device, queued.row);
      const sent = [this.#states.state(queued, 'sent'), this.#states.makeStation(queued.row, 'sent', evidence)];
      if (!(await this.#states.commitInTime([...sent, ...more, ...(forwarded?.changes ?? [])]))) return false;
      if (forwarded?.isWanted) this.#forwarding?.wake();
      return true;
    };
    const rules = currentRules({ store: this.#store, forwarding: this.#forwarding }, session);
    const written = () => untilUndisturbed(write, { rules });
    if (!(await dequeueWhile(session, queued, written))) return false;
    const { spaceId, type, createdAt } = queued.row;
    this.#history?.noteDelivery(spaceId, type, this.#clock.wall - createdAt);
    const at = this.#clock.now;
    this.#trace.emit({ kind: 'downlink.delivered', at, serial: session.device.serial, downlink: id, evidence });
    return true;
  }

  async queue(
    device: DeviceRow,
    request: DownlinkRequest,
    along: (row: MessageRow) => readonly Change[] = () => [],
    traceparent?: string,
  ): Promise<MessageRow> {
    const raw = 'raw' in request ? { raw: request.raw, codecHash: NO_CODEC } : {};
    let lacksEncoder = false;
    const make = async () => {
      const made = newMessage(this.#ids, this.#clock, device, 'down', request.type, requestBody(request), raw);
      const obstacle = await this.#encoder.refuseUnsendable(device, made);
      lacksEncoder = obstacle !== undefined;
      const waiting = obstacle === undefined ? [] : [this.#states.makeStation(made, 'waiting', obstacle)];
      const insertion = { kind: 'message.insert', row: made, room: LONGEST_QUEUE } as const;
      const queued = this.#states.makeStation(made, 'queued', traceparent ?? null);
      await this.#commitWithRoom(device, [...along(made), insertion, queued, ...waiting]);
      return made;
    };
    const order = inOrder({ store: this.#store, ids: this.#ids }, device.id);
    const row = await this.#queueing.run(device.id, () => untilUndisturbed(make, { order }));
    this.#emitQueued(device.serial, row, {
      ...(lacksEncoder ? { lacks: 'encoder' } : {}),
      ...(traceparent !== undefined && { traceparent }),
    });
    // Not awaited if the session is still being read, because the row is already durable.
    this.#sessions.changeWhenRead(device.serial, (session) => {
      const known = session.queue.some((queued) => queued.row.id === row.id);
      if (!known) this.#insert(session, dropLongContent(row));
    });
    return row;
  }

  /** Commits the changes that queue a downlink. If the queue is full, expires overdue downlinks and tries again. */
  async #commitWithRoom({ id }: DeviceRow, changes: readonly Change[]): Promise<void> {
    try {
      await this.#store.commit(changes);
    } catch (error) {
      if (!(error instanceof ConflictError && error.field === 'queue')) throw error;
      if (!(await this.endOverdue(await this.#store.pendingDownlinks(id)))) throw error;
      await this.#store.commit(changes);
    }
  }

  async endOverdue(messages: readonly WaitingRow[]): Promise<boolean> {
    const overdue = messages.filter(this.#expiry.isOverdue);
    for (const row of overdue) await this.#expire(row);
    return overdue.length > 0;
  }

  async cancel(message: WaitingRow): Promise<'cancelled' | 'not-pending'> {
    if (await this.endOverdue([message])) return 'not-pending';
    const outcome = await this.#cancel(message);
    if (outcome === 'cancelled' && message.type === 'firmware')
      await this.firmware.endUpdate(message, 'cancelled', null);
    return outcome;
  }

  async #cancel(message: WaitingRow): Promise<'cancelled' | 'not-pending'> {
    if (message.downState !== 'pending') return 'not-pending';
    const device = await this.#store.device(message.spaceId, message.deviceId);
    const session = device && this.#sessions.get(device.serial);
    const queued = session?.queue.find((candidate) => candidate.row.id === message.id);
    const end = () => this.#end(device?.serial ?? 0, queued ?? makeQueued(message), 'cancelled', null);
    const ended = await (session && queued ? dequeueWhile(session, queued, end) : end());
    return ended ? 'cancelled' : 'not-pending';
  }

  forget(serial: number): Promise<void> {
    return this.#sessions.forget(serial);
  }

  noteDeleted({ serial }: DeviceRow, pending: readonly WaitingRow[]): Promise<void> {
    const at = this.#clock.now;
    for (const { id } of pending) this.#trace.emit({ kind: 'downlink.cancelled', at, serial, downlink: id });
    return this.forget(serial);
  }

  /** Stops the expiry of downlinks and updates. */
  close(): Promise<void> {
    return this.#expiry.close();
  }

  #makeChunkQueue(): ChunkQueue {
    return {
      sessionOf: (serial) => this.#sessions.get(serial),
      insert: (session, row) => this.#enqueue(session, row),
      settle: async (session, queued, received) => {
        if (received) await this.#confirmDelivery(session, 'next-packet', queued);
        else
          await dequeueWhile(session, queued, () =>
            this.#end(session.device.serial, queued, 'cancelled', 'superseded'),
          );
      },
      cancel: (row) => this.#cancel(row),
    };
  }

  /** Queues a downlink created by the cloud. A new session or time response replaces an older one (wire W-37). */
  #enqueue(session: DeviceSession, row: MessageRow): void {
    if (row.type === 'session' || row.type === 'timestamp') {
      const older = session.queue.filter((queued) => queued.row.type === row.type);
      session.queue = session.queue.filter((queued) => queued.row.type !== row.type);
      for (const queued of older) this.#states.commitLater([this.#states.state(queued, 'cancelled')]);
    }
    this.#emitQueued(session.device.serial, row);
    this.#insert(session, row);
  }

  #insert(session: DeviceSession, row: WaitingRow): void {
    insertInto(session, makeQueued(row));
  }

  /** Returns the encoded downlink. If it cannot be encoded, cancels it with the reason and returns undefined. */
  async #pack(session: DeviceSession, queued: QueuedDownlink): Promise<Uint8Array | undefined> {
    const { row } = queued;
    try {
      return await this.#encoder.encode(session.device, row);
    } catch (error) {
      // This is a failure of the store, so the downlink stays in the queue.
      if (error instanceof StoreUnavailable) throw error;
      const why = messageOf(error);
      this.#log.warn({ message: row.id, why }, 'downlink cannot be encoded');
      await dequeueWhile(session, queued, () => this.#end(session.device.serial, makeQueued(row), 'cancelled', why));
      if (row.type === 'firmware') await this.firmware.endUpdate(row, 'failed', why);
      return undefined;
    }
  }

  /** Ends a downlink; false if it had already ended. */
  async #end(
    serial: number,
    queued: QueuedDownlink,
    state: 'cancelled' | 'expired',
    why: string | null,
  ): Promise<boolean> {
    const { id } = queued.row;
    // `expired` is dated at the end of the downlink's lifetime, even if a sweep finds the downlink later.
    const time = state === 'expired' ? this.#expiry.endOf(queued.row) : undefined;
    const ending = this.#states.state(queued, state, time);
    const progress = [ending, this.#states.makeStation(queued.row, state, why, time)];
    const ended = await this.#states.commitInTime(progress);
    if (!ended) return false;
    const at = this.#clock.now;
    if (state === 'cancelled') this.#trace.emit({ kind: 'downlink.cancelled', at, serial, downlink: id });
    else this.#trace.emit({ kind: 'downlink.expired', at, serial, downlink: id });
    return true;
  }

  async #expire(row: WaitingRow): Promise<void> {
    const device = await this.#store.device(row.spaceId, row.deviceId);
    const session = device && this.#sessions.get(device.serial);
    const queued = session?.queue.find((candidate) => candidate.row.id === row.id);
    const end = () => this.#end(device?.serial ?? 0, makeQueued(row), 'expired', null);
    const ended = await (session && queued ? dequeueWhile(session, queued, end) : end());
    if (ended && row.type === 'firmware')
      await this.firmware.endUpdate(row, 'failed', 'a chunk of the image expired before the device fetched it');
  }

  #emitQueued(serial: number, row: MessageRow, more: Pick<QueuedEvent, 'lacks' | 'traceparent'> = {}): void {
    // The cast is safe because rows of direction down have only these types.
    const type = row.type as DownlinkType;
    this.#trace.emit({ kind: 'downlink.queued', at: this.#clock.now, serial, downlink: row.id, type, ...more });
  }
}
