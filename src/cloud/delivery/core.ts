/**
 * The heart of the cloud: which downlink is delivered when, and what an uplink means. Delivery rules live here, once;
 * gateways bring packets or requests to it, the API brings what users want sent.
 *
 * Calls about one device must come one after another, which the gateways see to. What a call returns has been stored.
 */
import type { EdgeClock } from '../../kernel/clock.js';
import type { Log } from '../../kernel/log.js';
import type { Millis } from '../../kernel/time.js';
import { contentFingerprint } from '../../protocol/hashes.js';
import type { DecodedData } from '../../protocol/http/uplinks.js';
import { TYPE } from '../../protocol/messages/index.js';
import type { DeliveryEvidence, DownlinkType, Trace } from '../../trace/events.js';
import { Updates } from '../firmware/updates.js';
import { Expiry } from '../maintenance/expiry.js';
import { type DownlinkRequest, type Downlinks, LONGEST_QUEUE } from '../ports/downlinks.js';
import type { Forwarding } from '../ports/forwarding.js';
import type { Ids } from '../store/ids.js';
import { newMessage } from '../store/new-message.js';
import { untilUndisturbed } from '../store/records.js';
import {
  type Change,
  type DeviceRow,
  type MessageRow,
  type Store,
  StoreUnavailable,
  type WaitingRow,
} from '../store/store.js';
import { Codecs } from './codecs.js';
import {
  asQueued,
  insertInto,
  nextDownlink,
  type Peer,
  type QueuedDownlink,
  unwritten,
  whileAway,
  withoutLongBody,
} from './device-session.js';
import { Peers } from './device-sessions.js';
import { requestBody } from './down-messages.js';
import { Packer } from './downlink-encoder.js';
import { Progress } from './downlink-states.js';
import { type ChunkQueue, FirmwareQueue } from './firmware-queue.js';
import { Intake } from './uplinks.js';

export interface CoreOptions {
  readonly store: Store;
  readonly clock: EdgeClock;
  readonly ids: Ids;
  readonly trace: Trace;
  readonly log: Log;
  /** Forwards messages; left out: nobody does. */
  readonly forwarding?: Forwarding | undefined;
  /** How long an undelivered downlink is kept. Default 30 days (wire protocol, 6.2). */
  readonly expiry?: Millis;
}

/** Types of the uplinks that tell how a firmware update goes. */
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
  readonly #progress: Progress;
  readonly #packer: Packer;
  readonly #updates: Updates;
  readonly #intake: Intake;
  readonly #peers: Peers;

  constructor(options: CoreOptions) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#ids = options.ids;
    this.#trace = options.trace;
    this.#log = options.log;
    this.#forwarding = options.forwarding;
    this.#progress = new Progress(options);
    this.#updates = new Updates(options);
    const codecs = new Codecs(options.store);
    this.#packer = new Packer({ ...options, codecs, updates: this.#updates });
    this.#intake = new Intake({ ...options, codecs, updates: this.#updates });
    this.firmware = new FirmwareQueue({ ...options, updates: this.#updates, queue: this.#chunkQueue() });
    this.#peers = new Peers({ ...options, onRead: (peer) => this.firmware.look(peer) });
    this.#expiry = new Expiry(options, (row) => this.#expire(row));
  }

  /** What is remembered of a device, without asking the store; undefined when it may have changed. */
  known(serial: number): Peer | undefined {
    return this.#peers.known(serial);
  }

  /** Reads a device and its queue from the store; undefined when the cloud does not know the serial number. */
  load(serial: number): Promise<Peer | undefined> {
    return this.#peers.load(serial);
  }

  /** Notes that a packet of the device has arrived. */
  contact(peer: Peer): void {
    this.#peers.claim(peer);
    const fresh = peer.queue.filter((entry) => !entry.contacted);
    if (fresh.length === 0) return;
    for (const entry of fresh) {
      entry.contacted = true;
      const { serial } = peer.device;
      this.#trace.emit({ kind: 'downlink.contact', at: this.#clock.now, serial, downlink: entry.row.id });
    }
    this.#progress.contact(fresh.map((entry) => entry.row.id));
  }

  /** Does a downlink wait that can be offered now, besides `except`? */
  waits(peer: Peer, except?: QueuedDownlink): boolean {
    return nextDownlink(peer, except) !== undefined;
  }

  /**
   * Stores an uplink message (type byte and value, or data without a codec). Resolves true when it is durable, or known to
   * be stored already; false when it is not acceptable (wire protocol, 6.3).
   */
  async accept(peer: Peer, message: Uint8Array | DecodedData): Promise<boolean> {
    const aboutUpdate = message instanceof Uint8Array && UPDATE_REPORTS.has(message[0] ?? -1);
    if (!aboutUpdate) {
      const accepted = await this.#accept(peer, message);
      // What follows on a chunk and is not its answer shows that there will be none; whoever does not poll is then asked to.
      if (peer.update) await this.firmware.wentOn(peer);
      return accepted;
    }
    return this.#updates.inTurn(peer.device.id, async () => {
      const accepted = await this.#accept(peer, message);
      if (peer.update) await this.firmware.look(peer);
      return accepted;
    });
  }

  async #accept(peer: Peer, message: Uint8Array | DecodedData): Promise<boolean> {
    // First, because the message may be the answer to one of them.
    for (const entry of unwritten(peer)) await this.#confirmed(peer, entry.confirmed, entry);
    const accepted = await this.#intake.accept(peer, message);
    if (accepted === 'refused') return false;
    if (accepted.update) await this.firmware.moved(peer, accepted.update);
    for (const row of accepted.queue) this.#enqueue(peer, row);
    return true;
  }

  /** Whether {@link take} would find nothing: known at once, as it is for most polls. */
  hasNothing(peer: Peer): boolean {
    return !this.#peers.shared && peer.update === undefined && !this.waits(peer);
  }

  /** Takes the head of the queue for delivery; undefined when nothing waits. It stays in the queue until confirmed. */
  async take(peer: Peer): Promise<Uint8Array | undefined> {
    if (this.#peers.shared) await this.#peers.refresh(peer);
    await this.firmware.wentOn(peer);
    for (const entry of unwritten(peer)) await this.#confirmed(peer, entry.confirmed, entry);
    for (;;) {
      const entry = nextDownlink(peer);
      if (entry === undefined) return undefined;
      const message = await this.#pack(peer, entry);
      if (message === undefined) continue;
      entry.attempt++;
      peer.inFlight = entry;
      const { id } = entry.row;
      const print = contentFingerprint(message);
      const at = this.#clock.now;
      this.#trace.emit({
        kind: 'downlink.offered',
        at,
        serial: peer.device.serial,
        downlink: id,
        print,
        attempt: entry.attempt,
      });
      this.#progress.offered(entry);
      return message;
    }
  }

  /** The body of a downlink in a queue, which does not hold long ones. */
  bodyOf(row: WaitingRow): Promise<unknown> {
    return this.#packer.bodyOf(row);
  }

  /** A downlink, normally the one in flight, is confirmed: state sent. */
  async confirm(peer: Peer, evidence: DeliveryEvidence, entry = peer.inFlight): Promise<void> {
    peer.inFlight = undefined;
    if (entry?.row.type !== 'firmware') return this.#confirmed(peer, evidence, entry);
    await this.#updates.inTurn(entry.row.deviceId, () => this.#confirmed(peer, evidence, entry));
  }

  async #confirmed(peer: Peer, evidence: DeliveryEvidence, entry: QueuedDownlink | undefined): Promise<void> {
    // It may have been cancelled, or its device deleted, while it was on its way.
    if (entry === undefined || !peer.queue.includes(entry)) return;
    const { id } = entry.row;
    entry.confirmed = evidence;
    const write = async () => {
      const more = entry.row.type === 'firmware' ? await this.firmware.delivered(peer, entry.row) : [];
      const deliveries = (await this.#forwarding?.deliveries(peer.device, entry.row)) ?? [];
      const sent = [this.#progress.state(entry, 'sent'), this.#progress.station(id, 'sent', evidence)];
      if (!(await this.#progress.inTime([...sent, ...more, ...deliveries]))) return false;
      if (deliveries.length > 0) this.#forwarding?.wake();
      return true;
    };
    if (!(await whileAway(peer, entry, () => untilUndisturbed(write)))) return;
    const at = this.#clock.now;
    this.#trace.emit({ kind: 'downlink.delivered', at, serial: peer.device.serial, downlink: id, evidence });
  }

  async queue(
    device: DeviceRow,
    request: DownlinkRequest,
    along: (row: MessageRow) => readonly Change[] = () => [],
  ): Promise<MessageRow> {
    const row = newMessage(this.#ids, this.#clock, device, 'down', request.type, requestBody(request));
    await this.#packer.refuseUnsendable(device, row);
    await this.#store.commit([
      ...along(row),
      { kind: 'message.insert', row, room: LONGEST_QUEUE },
      this.#progress.station(row.id, 'queued', null),
    ]);
    this.#emitQueued(device.serial, row);
    const peer = await this.#peers.settled(device.serial);
    if (peer && !peer.queue.some((entry) => entry.row.id === row.id)) this.#insert(peer, withoutLongBody(row));
    return row;
  }

  async cancel(message: WaitingRow): Promise<'cancelled' | 'not-pending'> {
    const outcome = await this.#cancel(message);
    if (outcome === 'cancelled' && message.type === 'firmware') await this.firmware.lost(message, 'cancelled', null);
    return outcome;
  }

  async #cancel(message: WaitingRow): Promise<'cancelled' | 'not-pending'> {
    if (message.downState !== 'pending') return 'not-pending';
    const device = await this.#store.device(message.spaceId, message.deviceId);
    const peer = device && this.#peers.get(device.serial);
    const entry = peer?.queue.find((candidate) => candidate.row.id === message.id);
    const end = () => this.#end(device?.serial ?? 0, entry ?? asQueued(message), 'cancelled', null);
    const ended = await (peer && entry ? whileAway(peer, entry, end) : end());
    return ended ? 'cancelled' : 'not-pending';
  }

  forget(serial: number): Promise<void> {
    return this.#peers.forget(serial);
  }

  /** Stops the periodic work. */
  close(): void {
    this.#expiry.close();
  }

  #chunkQueue(): ChunkQueue {
    return {
      peerOf: (serial) => this.#peers.get(serial),
      insert: (peer, row) => this.#enqueue(peer, row),
      settle: async (peer, entry, received) => {
        if (received) return this.#confirmed(peer, 'next-packet', entry);
        await whileAway(peer, entry, () => this.#end(peer.device.serial, entry, 'cancelled', 'superseded'));
      },
      cancel: (row) => this.#cancel(row),
    };
  }

  /** A downlink that the cloud made by itself. A new session or time answer replaces an older one (wire protocol, 6.4). */
  #enqueue(peer: Peer, row: MessageRow): void {
    if (row.type === 'session' || row.type === 'timestamp') {
      const older = peer.queue.filter((entry) => entry.row.type === row.type);
      peer.queue = peer.queue.filter((entry) => entry.row.type !== row.type);
      for (const entry of older) this.#progress.behind([this.#progress.state(entry, 'cancelled')]);
    }
    this.#emitQueued(peer.device.serial, row);
    this.#insert(peer, row);
  }

  #insert(peer: Peer, row: WaitingRow): void {
    insertInto(peer, asQueued(row));
  }

  /** The bytes of a downlink; undefined when there can be none, in which case it is cancelled with the reason. */
  async #pack(peer: Peer, entry: QueuedDownlink): Promise<Uint8Array | undefined> {
    const { row } = entry;
    try {
      return await this.#packer.pack(peer.device, row);
    } catch (error) {
      // That says nothing about the downlink.
      if (error instanceof StoreUnavailable) throw error;
      const why = error instanceof Error ? error.message : String(error);
      this.#log.warn({ message: row.id, why }, 'downlink cannot be encoded');
      await whileAway(peer, entry, () => this.#end(peer.device.serial, asQueued(row), 'cancelled', why));
      if (row.type === 'firmware') await this.firmware.lost(row, 'failed', why);
      return undefined;
    }
  }

  /** False when it had ended before. */
  async #end(
    serial: number,
    entry: QueuedDownlink,
    state: 'cancelled' | 'expired',
    why: string | null,
  ): Promise<boolean> {
    const { id } = entry.row;
    const progress = [this.#progress.state(entry, state), this.#progress.station(id, state, why)];
    const ended = await this.#progress.inTime(progress);
    if (!ended) return false;
    const at = this.#clock.now;
    if (state === 'cancelled') this.#trace.emit({ kind: 'downlink.cancelled', at, serial, downlink: id });
    else this.#trace.emit({ kind: 'downlink.expired', at, serial, downlink: id });
    return true;
  }

  async #expire(row: MessageRow): Promise<void> {
    const device = await this.#store.device(row.spaceId, row.deviceId);
    const peer = device && this.#peers.get(device.serial);
    const entry = peer?.queue.find((candidate) => candidate.row.id === row.id);
    const end = () => this.#end(device?.serial ?? 0, asQueued(row), 'expired', null);
    const ended = await (peer && entry ? whileAway(peer, entry, end) : end());
    if (ended && row.type === 'firmware')
      await this.firmware.lost(row, 'failed', 'the device did not fetch it in time');
  }

  #emitQueued(serial: number, row: MessageRow): void {
    // Because rows of direction down have only these types.
    const type = row.type as DownlinkType;
    this.#trace.emit({ kind: 'downlink.queued', at: this.#clock.now, serial, downlink: row.id, type });
  }
}
