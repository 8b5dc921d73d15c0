/**
 * The cloud side of FLAP, the datagram protocol of the devices: receives datagrams from any transport and answers each at most
 * once (wire W-1, W-24).
 *
 * Datagrams of one device are processed strictly one after another; devices do not wait for each other. A packet that needs no
 * store access is answered in the same turn of the event loop.
 */

import type { EdgeClock } from '../../kernel/clock.js';
import { messageOf } from '../../kernel/errors.js';
import { Holds } from '../../kernel/holds.js';
import type { Log } from '../../kernel/log.js';
import { type Millis, seconds } from '../../kernel/time.js';
import { type CloudMove, CloudTransfer, type Evidence } from '../../protocol/flap/cloud-transfer.js';
import {
  type Datagram,
  datagramBytes,
  type Envelope,
  type EnvelopeFormat,
  FRAGMENT_SIZE,
  hasValidTag,
  open,
  type PacketFormat,
  Sealed,
} from '../../protocol/flap/envelope.js';
import { decodePacket, encodePacket, type Packet, POLL, RESET } from '../../protocol/flap/packet.js';
import type { Refusal, Trace } from '../../trace/events.js';
import type { CloudCore } from '../delivery/core.js';
import type { DeviceSession, QueuedDownlink } from '../delivery/device-session.js';
import { StoreBusy } from '../store/bounded-commits.js';
import { type Id, isGone } from '../store/store.js';
import { type Admitted, Protection } from './protection.js';
import type { Source } from './replay-guard.js';

interface FlapGatewayOptions {
  readonly core: CloudCore;
  readonly clock: EdgeClock;
  readonly trace: Trace;
  readonly log: Log;
  /** How long a device may repeat a packet before its transfer is reset. Default 60 s (wire W-27). */
  readonly patience?: Millis;
  /** Called before a complete message of a device is acknowledged. */
  readonly acknowledged?: ((serial: number) => void) | undefined;
}

/** Sends a datagram to the source of the received one, in the same format. */
type Reply = (datagram: Datagram) => void;

/**
 * Number of datagrams by result. `silent`: processed without an answer. `withheld`: the protection suppressed the answer.
 * `overrun`: dropped because too many datagrams of the device, or too many commits, were waiting.
 */
export type GatewayCounters = Record<
  | 'received'
  | 'answered'
  | 'silent'
  | 'reset'
  | 'unreadable'
  | 'unknownSerial'
  | 'badTag'
  | 'replayed'
  | 'withheld'
  | 'overrun',
  number
>;

/** The counter of each reason for rejection. */
const COUNTERS = {
  unreadable: 'unreadable',
  'unknown serial number': 'unknownSerial',
  'wrong tag': 'badTag',
  replayed: 'replayed',
} as const satisfies Record<Refusal, keyof GatewayCounters>;

/** Hosts whose dialogues with one device are kept. */
const MOST_VISITS = 8;

/** Most datagrams of a device that wait for one in progress. Further ones are dropped, as by a full socket buffer. */
const LONGEST_QUEUE = 16;

interface Arrived {
  readonly envelope: Envelope;
  readonly format: PacketFormat;
  readonly reply: Reply;
  /** Address of the sender, for the protection against replays; undefined in a simulation, and for DTLS. */
  readonly source: Source | undefined;
  /** Id of the device that DTLS has authenticated; undefined if the tag of the envelope authenticates the device. */
  readonly proven: Id | undefined;
}

/** A device whose key was used for a DTLS connection. */
interface ProvenDevice {
  readonly serial: number;
  readonly deviceId: Id;
}

interface Dialogue {
  format: PacketFormat;
  transfer: CloudTransfer;
}

/**
 * The dialogue of a host whose address is not proven. It becomes that of the device when new data proves the address. Until then,
 * the device stays where it is: in its own dialogue, and at another node.
 */
interface Visit extends Dialogue {
  inFlight: QueuedDownlink | undefined;
  /** The downlink that was in flight when the visit began, and the evidence in the visit that the device has it. */
  readonly before: QueuedDownlink | undefined;
  delivered: Evidence | undefined;
}

interface DeviceChannel extends Dialogue {
  readonly session: DeviceSession;
  /** By host, the latest one last. Left out for most devices, which have one address. */
  visits?: Map<string, Visit> | undefined;
  /** The waiting datagrams; set while a packet of this device is being processed. */
  waiting: Arrived[] | undefined;
}

/** How the answer to a packet is sent. */
interface Answering {
  readonly format: PacketFormat;
  readonly reply: Reply;
  /** Undefined if the datagram is not checked for replays ({@link Arrived.source} is undefined). */
  readonly admitted: Admitted | undefined;
}

export class FlapGateway {
  readonly counters: GatewayCounters = {
    received: 0,
    answered: 0,
    silent: 0,
    reset: 0,
    unreadable: 0,
    unknownSerial: 0,
    badTag: 0,
    replayed: 0,
    withheld: 0,
    overrun: 0,
  };
  readonly #core: CloudCore;
  readonly #clock: EdgeClock;
  readonly #trace: Trace;
  readonly #log: Log;
  readonly #patience: Millis;
  readonly #acknowledged: ((serial: number) => void) | undefined;
  readonly #channels = new WeakMap<DeviceSession, DeviceChannel>();
  readonly #work = new Holds();
  readonly #protection: Protection;

  constructor(options: FlapGatewayOptions) {
    this.#core = options.core;
    this.#clock = options.clock;
    this.#trace = options.trace;
    this.#log = options.log;
    this.#patience = options.patience ?? seconds(60);
    this.#acknowledged = options.acknowledged;
    const { clock, log, core } = options;
    this.#protection = new Protection({ clock, log, patience: this.#patience, shared: core.shared });
  }

  /**
   * Processes one datagram. `reply` is called at most once, possibly later.
   * @param source address of its sender; if given, replayed datagrams are dropped and repeated answers limited
   */
  receive(datagram: Datagram, format: EnvelopeFormat, reply: Reply, source?: Source): void {
    this.counters.received++;
    const envelope = open(datagram, format);
    if (envelope === undefined) return this.#refuse('unreadable');
    this.#accept({ envelope, format, reply, source, proven: undefined });
  }

  /**
   * Processes the content of a DTLS record. `reply` is called at most once, possibly later, with the content of the answer.
   * @param device the device of the connection; a record cannot name another one
   */
  receivePlain(plain: Uint8Array, { serial, deviceId }: ProvenDevice, send: (plain: Uint8Array) => void): void {
    this.counters.received++;
    const packet = decodePacket(plain);
    if (packet === undefined) return this.#refuse('unreadable');
    const envelope = { serial, packet, bytes: plain };
    const reply: Reply = (answer) => send(datagramBytes(answer));
    this.#accept({ envelope, format: 'dtls', reply, source: undefined, proven: deviceId });
  }

  #accept(arrived: Arrived): void {
    const session = this.#core.getFreshSession(arrived.envelope.serial);
    if (session) this.#arrived(session, arrived);
    else void this.#inBackground(this.#loadDevice(arrived));
  }

  /** Resolves when all received datagrams have been processed. */
  async idle(): Promise<void> {
    while (this.#work.count > 0) await this.#work.changed();
  }

  async #loadDevice(arrived: Arrived): Promise<void> {
    const session = await this.#core.load(arrived.envelope.serial);
    if (session) this.#arrived(session, arrived);
    else this.#refuse('unknown serial number');
  }

  #arrived(session: DeviceSession, arrived: Arrived): void {
    const { envelope, format, reply, source, proven } = arrived;
    if (format === 'dtls') {
      // The serial number now belongs to another device.
      if (proven !== session.device.id) return this.#refuse('unknown serial number');
    } else if (!hasValidTag(envelope, session.token)) {
      this.#refuse('wrong tag');
      if (source && !this.#protection.mayReset(session, source)) this.counters.withheld++;
      else this.#reset(session, format, reply);
      return;
    }
    const current = this.#channels.get(session);
    if (current?.waiting) {
      if (current.waiting.length < LONGEST_QUEUE) current.waiting.push(arrived);
      else this.counters.overrun++;
      return;
    }
    if (format === 'dtls') session.otherwiseAt = this.#clock.now;
    if (source === undefined || format === 'dtls')
      return this.#receive(this.#channelOf(session, format), envelope, { format, reply, admitted: undefined });
    const admitted = this.#protection.admit(session, { envelope, format, source }, current?.transfer);
    // A device repeats a packet in the same format.
    const isCopy = admitted?.verdict === 'repeat' && current?.format !== format;
    if (admitted === undefined || isCopy) return this.#dropCopy(session, envelope);
    const to = { format, reply, admitted };
    if (admitted.isProven) return this.#receive(this.#channelOf(session, format), envelope, to);
    const channel = current ?? this.#channelOf(session, format);
    this.#receiveOfVisit(channel, this.#visitOf(channel, arrived, source), envelope, to);
  }

  #dropCopy(session: DeviceSession, { packet }: Envelope): void {
    if (packet.flags === POLL) this.#core.noteUnprovenPoll(session);
    this.#refuse('replayed');
  }

  #refuse(why: Refusal): void {
    this.counters[COUNTERS[why]]++;
    this.#trace.emit({ kind: 'cloud.refused', at: this.#clock.now, why });
  }

  /** The dialogue of a device. A new one begins with a new session object, or when the device sends in another format. */
  #channelOf(session: DeviceSession, format: PacketFormat): DeviceChannel {
    let channel = this.#channels.get(session);
    if (channel === undefined) {
      channel = { session, format, transfer: this.#newTransfer(format), waiting: undefined };
      this.#channels.set(session, channel);
    } else if (channel.format !== format) {
      channel.format = format;
      channel.transfer = this.#newTransfer(format);
    }
    return channel;
  }

  #newTransfer(format: PacketFormat): CloudTransfer {
    return new CloudTransfer(FRAGMENT_SIZE[format].down, this.#patience);
  }

  #visitOf(channel: DeviceChannel, { envelope, format }: Arrived, { host }: Source): Visit {
    channel.visits ??= new Map();
    const { visits, transfer, session } = channel;
    const known = visits.get(host);
    const fork = () => (channel.format === format ? transfer.fork(envelope.packet) : this.#newTransfer(format));
    const visit =
      known?.format === format && known.transfer.fits(envelope.packet)
        ? known
        : { format, transfer: fork(), inFlight: undefined, before: session.inFlight, delivered: undefined };
    visits.delete(host);
    visits.set(host, visit);
    const [oldest] = visits.keys();
    if (visits.size > MOST_VISITS && oldest !== undefined) visits.delete(oldest);
    return visit;
  }

  #receive(channel: DeviceChannel, { packet }: Envelope, to: Answering): void {
    const { session, transfer } = channel;
    this.#core.noteContact(session);
    const others = () => this.#core.hasWaiting(session, { except: session.inFlight });
    const move = transfer.receive(packet, this.#clock.now, others);
    if (move.kind === 'offer') this.#core.notePoll(session);
    if (move.delivered === undefined && move.kind === 'silence') this.counters.silent++;
    else if (move.delivered === undefined && move.kind === 'answer') this.#answer(channel, move.packet, to);
    else if (move.delivered === undefined && move.kind === 'offer' && this.#core.hasNothing(session))
      this.#answer(channel, transfer.offer(undefined, false), to);
    else void this.#inBackground(this.#carryOut(channel, () => this.#answerTo(channel, move, to), to));
  }

  #receiveOfVisit(channel: DeviceChannel, visit: Visit, { packet }: Envelope, to: Answering): void {
    const { session } = channel;
    const { transfer } = visit;
    const isVisitor = to.admitted?.verdict === 'visitor';
    const others = () => this.#core.hasWaiting(session, { except: visit.inFlight, isProven: false });
    const move = transfer.receive(packet, this.#clock.now, others);
    const isOfVisit = visit.inFlight !== undefined;
    if (!isOfVisit) visit.delivered ??= move.delivered;
    if (move.kind === 'offer') this.#core.noteUnprovenPoll(session);
    if (move.kind === 'answer') this.#answer(channel, move.packet, to);
    else if (move.kind === 'offer' && isVisitor) this.#answer(channel, transfer.offer(undefined, false), to);
    else if (move.kind === 'silence' && !isOfVisit) this.counters.silent++;
    else void this.#inBackground(this.#carryOut(channel, () => this.#answerToVisit(channel, visit, move, to), to));
  }

  /** Processes a packet that needs the store; further datagrams of the device wait meanwhile. */
  async #carryOut(channel: DeviceChannel, work: () => Promise<Packet | undefined>, to: Answering): Promise<void> {
    const began = this.#clock.now;
    channel.waiting = [];
    try {
      const answer = await work();
      const took = this.#clock.now - began;
      const { serial } = channel.session.device;
      if (took > 0) this.#trace.emit({ kind: 'cloud.took', at: this.#clock.now, serial, took });
      if (answer) this.#answer(channel, answer, to);
      else this.counters.silent++;
    } finally {
      const { waiting } = channel;
      channel.waiting = undefined;
      // The session may have been dropped or become stale meanwhile.
      for (const arrived of waiting) this.#accept(arrived);
    }
  }

  async #answerTo(
    { session, transfer }: DeviceChannel,
    move: CloudMove,
    { admitted }: Answering,
  ): Promise<Packet | undefined> {
    if (move.delivered) await this.#core.confirm(session, move.delivered);
    switch (move.kind) {
      case 'silence':
        return undefined;
      case 'answer':
        return move.packet;
      case 'store': {
        const { message, parts } = move;
        const from = admitted?.isDoubted ? 'doubted home' : undefined;
        const onProof = from && (() => admitted?.prove());
        if (!(await this.#core.accept(session, message, { parts, from, onProof }))) {
          transfer.refuse();
          return undefined;
        }
        this.#acknowledged?.(session.device.serial);
        return transfer.acknowledge(this.#core.hasWaiting(session));
      }
      case 'offer': {
        const message = await this.#core.take(session);
        return transfer.offer(message, this.#core.hasWaiting(session, { except: session.inFlight }));
      }
      default:
        return move satisfies never;
    }
  }

  async #answerToVisit(
    channel: DeviceChannel,
    visit: Visit,
    move: CloudMove,
    to: Answering,
  ): Promise<Packet | undefined> {
    const { session } = channel;
    const { transfer } = visit;
    const ofDevice = session.inFlight;
    session.inFlight = visit.inFlight;
    try {
      if (move.delivered) await this.#core.confirm(session, move.delivered);
      if (move.kind === 'store') return await this.#storeOfVisit(channel, visit, move, to);
      if (move.kind !== 'offer') return undefined;
      const message = await this.#core.take(session, false);
      return transfer.offer(message, this.#core.hasWaiting(session, { except: session.inFlight, isProven: false }));
    } finally {
      visit.inFlight = session.inFlight;
      if (channel.transfer !== transfer) session.inFlight = ofDevice;
    }
  }

  async #storeOfVisit(
    channel: DeviceChannel,
    visit: Visit,
    { message, parts }: Extract<CloudMove, { readonly kind: 'store' }>,
    { admitted }: Answering,
  ): Promise<Packet | undefined> {
    const { session } = channel;
    const { transfer, format, before, delivered } = visit;
    const isVisitor = admitted?.verdict === 'visitor';
    const onProof = () => {
      admitted?.prove();
      Object.assign(channel, { format, transfer, visits: undefined });
    };
    const arrival = { parts, from: isVisitor ? 'visitor' : 'guest', onProof } as const;
    if (!(await this.#core.accept(session, message, arrival))) {
      transfer.refuse();
      return undefined;
    }
    this.#acknowledged?.(session.device.serial);
    const isProven = channel.transfer === transfer;
    if (isProven) this.#core.noteContact(session);
    if (isProven && delivered && before) await this.#core.confirm(session, delivered, before);
    return transfer.acknowledge((isProven || !isVisitor) && this.#core.hasWaiting(session, { isProven }));
  }

  #answer({ session }: DeviceChannel, packet: Packet, { format, reply, admitted }: Answering): void {
    if (admitted?.mayAnswer(packet) === false) {
      this.counters.withheld++;
      return;
    }
    if (packet === RESET) this.counters.reset++;
    else this.counters.answered++;
    const { device, token } = session;
    reply(format === 'dtls' ? encodePacket(packet) : new Sealed(packet, device.serial, token, format));
  }

  #reset(session: DeviceSession, format: EnvelopeFormat, reply: Reply): void {
    this.counters.reset++;
    reply(new Sealed(RESET, session.device.serial, session.token, format));
  }

  /** Holds simulated time until the work is done. After a failure the datagram stays unanswered, and the device repeats it. */
  async #inBackground(work: Promise<void>): Promise<void> {
    const release = this.#clock.hold('the gateway and its store');
    const done = this.#work.take('a datagram');
    try {
      await work;
    } catch (error) {
      if (error instanceof StoreBusy) this.counters.overrun++;
      else if (isGone(error)) this.#refuse('unknown serial number');
      else this.#log.error({ error: messageOf(error) }, 'failed to process a datagram');
    } finally {
      done();
      release();
    }
  }
}
