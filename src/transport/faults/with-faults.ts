/**
 * A transport decorator that delays, loses, duplicates, corrupts or reorders datagrams, in the same way for every transport.
 *
 * It also delays every datagram by at least 1 ms. Without this delay, a response could arrive at the instant at which its
 * request was sent, and the order of events would depend on the transport.
 *
 * A damaged datagram never names another device of the fleet. That device may be in another thread, with a cloud of its own.
 * Instead, the datagram gets a serial number that no device has.
 */
import type { Clock } from '../../kernel/clock.js';
import { NoiseStream, noiseSeed, type Random } from '../../kernel/random.js';
import type { Instant, Millis } from '../../kernel/time.js';
import { type Datagram, datagramBytes, type LinkFormat, namingNoOther } from '../../protocol/flap/envelope.js';
import type { Trace } from '../../trace/events.js';
import type { Channel, Receiver, Transport } from '../transport.js';
import type { Delivery, ScheduledFault, Verdict, Way } from './fault.js';
import { FaultList } from './fault-list.js';

const LEAST_HOP: Millis = 1;

interface FaultOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly trace: Trace;
  /** A {@link FaultList} may change while the transport is in use. */
  readonly faults: readonly ScheduledFault[] | FaultList;
  /** Whether the transport detects and drops damaged datagrams, as TCP does. */
  readonly checksummed?: boolean;
}

/** Shared by all devices with the same format. */
interface HopOptions extends FaultOptions {
  readonly faults: FaultList;
  readonly format: LinkFormat;
}

/** The current datagram; reused, because faults are applied to one datagram at a time. */
const DELIVERY: Delivery = { size: 0, now: 0, freeAt: 0, damage: undefined };

export function withFaults(inner: Transport, options: FaultOptions): Transport {
  const faults = options.faults instanceof FaultList ? options.faults : new FaultList(options.faults);
  const ofFormats = new Map<LinkFormat, HopOptions>();
  const optionsOf = (format: LinkFormat): HopOptions => {
    const known = ofFormats.get(format) ?? { ...options, faults, format };
    ofFormats.set(format, known);
    return known;
  };
  return {
    connect: (serial, receiver, format = 'base64') => new Hop(serial, optionsOf(format), inner, receiver),
    close: () => inner.close(),
  };
}

/** The datagrams of one direction that are on their way. */
interface Queue {
  /** When the last of them arrives. */
  last: Instant;
  /** When the limit of the bandwidth lets the next datagram leave. */
  freeAt: Instant;
}

/**
 * The hop of one device. Datagrams of one direction arrive in the order in which they left, whatever their delays, because a
 * radio link is a queue. Only the fault `reorder`, which is applied last, lets a datagram overtake another.
 */
class Hop implements Channel, Receiver {
  /**
   * The serial number of the device as a signed 32-bit integer: the engine would store a number above 2^31, such as a serial
   * number of CHESTER, in a separate object.
   */
  readonly #serial: number;
  readonly #options: HopOptions;
  /** Created by the first fault that hits a datagram of this hop. */
  #draws: NoiseStream | undefined;
  readonly #device: Receiver;
  readonly #channel: Channel;
  /** A hop at rest takes less memory without its queues, so a datagram that arrives removes them if they are empty. */
  #queues: Record<Way, Queue> | undefined;

  constructor(serial: number, options: HopOptions, inner: Transport, device: Receiver) {
    this.#serial = serial | 0;
    this.#options = options;
    this.#device = device;
    this.#channel = inner.connect(serial, this, options.format);
  }

  send(datagram: Datagram): void {
    const verdict = this.verdict('up', datagram.length);
    const arriving = this.asSent(datagram);
    this.passOn(verdict, () => {
      this.rest();
      this.#channel.send(arriving);
    });
  }

  reopen(server?: number, started?: boolean): void {
    this.#channel.reopen(server, started);
  }

  path(): ReturnType<NonNullable<Channel['path']>> {
    return this.#channel.path?.();
  }

  receive(datagram: Datagram): void {
    const verdict = this.verdict('down', datagram.length);
    const arriving = asReceived(datagram, this.#options.format);
    this.passOn(verdict, () => {
      this.rest();
      this.#device.receive(arriving);
    });
  }

  /** A datagram for the cloud as it arrives. */
  private asSent(datagram: Datagram): Datagram {
    const { format } = this.#options;
    const arriving = asReceived(datagram, format);
    if (arriving === datagram || (format !== 'raw' && format !== 'base64')) return arriving;
    return namingNoOther(datagramBytes(arriving), this.#serial >>> 0, format);
  }

  /** Applies the faults to a datagram that leaves now. */
  private verdict(way: Way, size: number): Verdict {
    const { clock, random, trace, faults, checksummed = false } = this.#options;
    const { now } = clock;
    const serial = this.#serial >>> 0;
    const verdict: Verdict = [LEAST_HOP];
    this.#queues ??= { up: { last: 0, freeAt: 0 }, down: { last: 0, freeAt: 0 } };
    const queue = this.#queues[way];
    let isQueued = false;
    DELIVERY.size = size;
    DELIVERY.now = now;
    DELIVERY.freeAt = queue.freeAt;
    DELIVERY.damage = undefined;
    for (const { strike, sign, overtakes, from, until, way: hitWay, hits } of faults.all) {
      if (now < from || now >= until || (hitWay !== 'both' && hitWay !== way) || !hits(serial)) continue;
      if (!isQueued && overtakes) {
        queueUp(verdict, queue, now);
        isQueued = true;
      }
      this.#draws ??= new NoiseStream(noiseSeed(random.fork(`net/${serial}`)));
      if (strike(verdict, this.#draws, DELIVERY) && sign !== null)
        trace.emit({ kind: 'net.fault', at: now, serial, fault: sign, way });
    }
    if (!isQueued) queueUp(verdict, queue, now);
    queue.freeAt = DELIVERY.freeAt;
    if (DELIVERY.damage && checksummed) verdict.length = 0;
    return verdict;
  }

  /** Calls `arrive` for each copy of a datagram, after its delay. */
  private passOn(delays: Verdict, arrive: () => void): void {
    for (const delay of delays) this.#options.clock.after(delay, 'a datagram on its way', arrive);
  }

  /** Removes the queues if they are empty. They then delay no later datagram. */
  private rest(): void {
    if (this.#queues === undefined) return;
    const { up, down } = this.#queues;
    if (Math.max(up.last, up.freeAt, down.last, down.freeAt) <= this.#options.clock.now) this.#queues = undefined;
  }
}

/** Delays copies so that none arrives before an earlier datagram. */
function queueUp(verdict: Verdict, queue: Queue, now: Instant): void {
  for (let i = 0; i < verdict.length; i++) {
    queue.last = Math.max(now + (verdict[i] as Millis), queue.last);
    verdict[i] = queue.last - now;
  }
}

/** The datagram as it arrives; a copy if it is damaged, because the sender may send the original again. */
function asReceived(datagram: Datagram, format: LinkFormat): Datagram {
  return DELIVERY.damage?.(datagramBytes(datagram), format) ?? datagram;
}
