/**
 * The heart of the cloud: which downlink is delivered when, and what an uplink means. Delivery rules live here, once;
 * gateways bring packets or requests to it, the API brings what users want sent.
 *
 * Calls about one device must come one after another, which the gateways see to. What a call returns has been stored.
 */
import type { Alarm, EdgeClock } from '../../kernel/clock.js';
import { days, hours, type Millis } from '../../kernel/time.js';
import { encodeBody } from '../../protocol/encode.js';
import { tokenBytes } from '../../protocol/flap/envelope.js';
import { contentPrint } from '../../protocol/hashes.js';
import { encodeDown } from '../../protocol/messages.js';
import type { DeliveryEvidence, DownlinkType, Trace } from '../../trace/events.js';
import { DownlinkRefused, type DownlinkRequest, type Downlinks, type Ids, type Log } from '../context.js';
import type { Change, DeviceRow, DownState, Id, MessageRow, Store } from '../store/store.js';
import { Codecs } from './codecs.js';
import { downMessage, requestBody } from './down-messages.js';
import { Intake } from './intake.js';
import { newMessage } from './message-rows.js';
import { nextDownlink, type Peer, type QueuedDownlink } from './peer.js';

export interface CoreOptions {
  readonly store: Store;
  readonly clock: EdgeClock;
  readonly ids: Ids;
  readonly trace: Trace;
  readonly log: Log;
  /** How long an undelivered downlink is kept. Default 30 days (wire protocol, 6.2). */
  readonly expiry?: Millis;
}

const EXPIRY_SWEEP = hours(1);
const SWEEP_SIZE = 500;

export class CloudCore implements Downlinks {
  readonly #store: Store;
  readonly #clock: EdgeClock;
  readonly #ids: Ids;
  readonly #trace: Trace;
  readonly #log: Log;
  readonly #expiry: Millis;
  readonly #codecs: Codecs;
  readonly #intake: Intake;
  readonly #peers = new Map<number, Peer>();
  readonly #loading = new Map<number, Promise<Peer | undefined>>();
  #nextSweep: Alarm | undefined;

  constructor(options: CoreOptions) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#ids = options.ids;
    this.#trace = options.trace;
    this.#log = options.log;
    this.#expiry = options.expiry ?? days(30);
    this.#codecs = new Codecs(options.store);
    this.#intake = new Intake({ ...options, codecs: this.#codecs });
    this.#sweepLater();
  }

  /** What is remembered of a device, without asking the store. */
  known(serial: number): Peer | undefined {
    return this.#peers.get(serial);
  }

  /** Reads a device and its queue from the store; undefined when the cloud does not know the serial number. */
  load(serial: number): Promise<Peer | undefined> {
    const loading = this.#loading.get(serial) ?? this.#read(serial);
    this.#loading.set(serial, loading);
    return loading.finally(() => this.#loading.delete(serial));
  }

  /** Notes that a packet of the device has arrived. */
  contact(peer: Peer): void {
    for (const entry of peer.queue) {
      if (entry.contacted) continue;
      entry.contacted = true;
      this.#emit('downlink.contact', peer, entry.row.id);
      this.#addToTimeline(entry.row.id, 'contact', null);
    }
  }

  /** Does a downlink wait that can be offered now, besides `except`? */
  waits(peer: Peer, except?: QueuedDownlink): boolean {
    return nextDownlink(peer, except) !== undefined;
  }

  /**
   * Stores an uplink message (type byte and value). Resolves true when it is durable, or known to be stored already; false
   * when it is not acceptable (wire protocol, 6.3).
   */
  async accept(peer: Peer, message: Uint8Array): Promise<boolean> {
    const queued = await this.#intake.accept(peer, message);
    if (queued === 'refused') return false;
    for (const row of queued) this.#enqueue(peer, row);
    return true;
  }

  /** Takes the head of the queue for delivery; undefined when nothing waits. It stays in the queue until confirmed. */
  async take(peer: Peer): Promise<Uint8Array | undefined> {
    for (;;) {
      const entry = nextDownlink(peer);
      if (entry === undefined) return undefined;
      const message = await this.#build(peer, entry.row);
      if (message === undefined) continue;
      entry.attempt++;
      peer.inFlight = entry;
      const { id } = entry.row;
      const print = contentPrint(message);
      const at = this.#clock.now;
      this.#trace.emit({
        kind: 'downlink.offered',
        at,
        serial: peer.device.serial,
        downlink: id,
        print,
        attempt: entry.attempt,
      });
      this.#writeBehind([
        { kind: 'message.state', id, state: 'pending', at: this.#clock.wall, attempt: entry.attempt },
        this.#timelineEntry(id, 'offered', `attempt ${entry.attempt}`),
      ]);
      return message;
    }
  }

  /** The downlink in flight is confirmed: state sent. */
  async confirm(peer: Peer, evidence: DeliveryEvidence): Promise<void> {
    const entry = peer.inFlight;
    peer.inFlight = undefined;
    // It may have been cancelled, or its device deleted, while it was on its way.
    if (entry === undefined || !peer.queue.includes(entry)) return;
    peer.queue = peer.queue.filter((other) => other !== entry);
    const { id } = entry.row;
    await this.#store.commit([this.#stateChange(entry, 'sent'), this.#timelineEntry(id, 'sent', evidence)]);
    const at = this.#clock.now;
    this.#trace.emit({ kind: 'downlink.delivered', at, serial: peer.device.serial, downlink: id, evidence });
  }

  async queue(device: DeviceRow, request: DownlinkRequest): Promise<MessageRow> {
    if (request.type === 'data') await this.#checkData(device, request.body);
    const row = newMessage(this.#ids, this.#clock, device, 'down', request.type, requestBody(request));
    await this.#store.commit([{ kind: 'message.insert', row }, this.#timelineEntry(row.id, 'queued', null)]);
    this.#emitQueued(device.serial, row);
    const peer = this.#peers.get(device.serial) ?? (await this.#loading.get(device.serial));
    if (peer && !peer.queue.some((entry) => entry.row.id === row.id)) this.#insert(peer, row);
    return row;
  }

  async cancel(message: MessageRow): Promise<'cancelled' | 'not-pending'> {
    if (message.downState !== 'pending') return 'not-pending';
    const device = await this.#store.device(message.spaceId, message.deviceId);
    const peer = device && this.#peers.get(device.serial);
    const entry = peer?.queue.find((candidate) => candidate.row.id === message.id);
    if (peer && entry === undefined) return 'not-pending';
    if (peer) peer.queue = peer.queue.filter((other) => other !== entry);
    await this.#end(device?.serial ?? 0, entry ?? asQueued(message), 'cancelled', null);
    return 'cancelled';
  }

  async forget(serial: number): Promise<void> {
    const peer = this.#peers.get(serial);
    if (peer === undefined) return;
    const device = await this.#store.deviceBySerial(serial);
    if (device?.id === peer.device.id) peer.device = device;
    else this.#peers.delete(serial);
  }

  /** Stops the periodic work. */
  close(): void {
    this.#nextSweep?.cancel();
  }

  async #read(serial: number): Promise<Peer | undefined> {
    const device = await this.#store.deviceBySerial(serial);
    if (device === undefined) return undefined;
    const pending = await this.#store.pendingDownlinks(device.id);
    const peer: Peer = {
      device,
      token: tokenBytes(device.token),
      queue: pending.map(asQueued),
      inFlight: undefined,
      configUnchecked: false,
    };
    this.#peers.set(serial, peer);
    return peer;
  }

  /** A downlink that the cloud made by itself. A new session answer replaces an older one (wire protocol, 6.4). */
  #enqueue(peer: Peer, row: MessageRow): void {
    if (row.type === 'session') {
      const older = peer.queue.filter((entry) => entry.row.type === 'session');
      peer.queue = peer.queue.filter((entry) => entry.row.type !== 'session');
      for (const entry of older) this.#writeBehind([this.#stateChange(entry, 'cancelled')]);
    }
    this.#emitQueued(peer.device.serial, row);
    this.#insert(peer, row);
  }

  #insert(peer: Peer, row: MessageRow): void {
    peer.queue.push(asQueued(row));
    peer.queue.sort((a, b) => (a.row.id < b.row.id ? -1 : 1));
  }

  /** The bytes of a downlink; undefined when it can not be built, in which case it is cancelled with the reason. */
  async #build(peer: Peer, row: MessageRow): Promise<Uint8Array | undefined> {
    try {
      const { encoderHash } = peer.device;
      const encoder = row.type === 'data' && encoderHash ? await this.#codecs.get(encoderHash) : undefined;
      return encodeDown(downMessage(row, this.#clock.wall, encoder));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.#log.warn({ message: row.id, why }, 'downlink can not be encoded');
      peer.queue = peer.queue.filter((entry) => entry.row !== row);
      await this.#end(peer.device.serial, asQueued(row), 'cancelled', why);
      return undefined;
    }
  }

  async #checkData(device: DeviceRow, body: Readonly<Record<string, unknown>>): Promise<void> {
    const fresh = (await this.#store.device(device.spaceId, device.id)) ?? device;
    const encoder = fresh.encoderHash ? await this.#codecs.get(fresh.encoderHash) : undefined;
    // A device that has not been heard yet may still bring the encoder that its downlinks need.
    if (encoder === undefined) return;
    try {
      encodeBody(encoder, body);
    } catch (error) {
      throw new DownlinkRefused(error instanceof Error ? error.message : String(error));
    }
  }

  async #end(serial: number, entry: QueuedDownlink, state: 'cancelled' | 'expired', why: string | null): Promise<void> {
    const { id } = entry.row;
    await this.#store.commit([this.#stateChange(entry, state), this.#timelineEntry(id, state, why)]);
    const at = this.#clock.now;
    if (state === 'cancelled') this.#trace.emit({ kind: 'downlink.cancelled', at, serial, downlink: id });
    else this.#trace.emit({ kind: 'downlink.expired', at, serial, downlink: id });
  }

  #sweepLater(): void {
    this.#nextSweep = this.#clock.after(EXPIRY_SWEEP, 'expiry of downlinks', () => {
      const release = this.#clock.hold('the expiry of downlinks');
      this.#expire()
        .catch((error: unknown) => this.#log.error({ error: String(error) }, 'expiry of downlinks failed'))
        .finally(release);
      this.#sweepLater();
    });
  }

  /** Ends downlinks that nobody has fetched in time. */
  async #expire(): Promise<void> {
    const overdue = await this.#store.overdueDownlinks(this.#clock.wall - this.#expiry, SWEEP_SIZE);
    for (const row of overdue) {
      const device = await this.#store.device(row.spaceId, row.deviceId);
      const peer = device && this.#peers.get(device.serial);
      if (peer) peer.queue = peer.queue.filter((entry) => entry.row.id !== row.id);
      await this.#end(device?.serial ?? 0, asQueued(row), 'expired', null);
    }
  }

  #stateChange(entry: QueuedDownlink, state: DownState): Change {
    return { kind: 'message.state', id: entry.row.id, state, at: this.#clock.wall, attempt: entry.attempt };
  }

  #timelineEntry(messageId: Id, what: string, detail: string | null): Change {
    return { kind: 'timeline.add', row: { messageId, at: this.#clock.wall, what, detail } };
  }

  #addToTimeline(messageId: Id, what: string, detail: string | null): void {
    this.#writeBehind([this.#timelineEntry(messageId, what, detail)]);
  }

  /** For what may be lost in a crash: nobody was told that it is kept. */
  #writeBehind(changes: readonly Change[]): void {
    this.#store.commit(changes).catch((error: unknown) => this.#log.error({ error: String(error) }, 'write failed'));
  }

  #emit(kind: 'downlink.contact', peer: Peer, downlink: Id): void {
    this.#trace.emit({ kind, at: this.#clock.now, serial: peer.device.serial, downlink });
  }

  #emitQueued(serial: number, row: MessageRow): void {
    // Because rows of direction down have only these types.
    const type = row.type as DownlinkType;
    this.#trace.emit({ kind: 'downlink.queued', at: this.#clock.now, serial, downlink: row.id, type });
  }
}

function asQueued(row: MessageRow): QueuedDownlink {
  return { row, attempt: row.downAttempt, contacted: row.downAttempt > 0 };
}
