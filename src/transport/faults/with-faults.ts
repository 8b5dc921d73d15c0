/**
 * A transport that takes its time and loses, doubles or reorders datagrams: the same odds over every wire.
 *
 * Also the one place where a hop gets its least time of 1 ms. Without it, an answer could arrive in the same instant as its
 * question, and transports would disagree about the order.
 */
import type { Clock } from '../../kernel/clock.js';
import { NoiseStream, noiseSeed, type Random } from '../../kernel/random.js';
import type { Instant, Millis } from '../../kernel/time.js';
import type { Trace } from '../../trace/events.js';
import type { Channel, Receive, Transport } from '../transport.js';
import type { Fate, ScheduledFault, Way } from './fault.js';
import { FAULT_KINDS, type FaultSpec, strike } from './index.js';

const LEAST_HOP: Millis = 1;

export interface FaultOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly trace: Trace;
  readonly faults: readonly ScheduledFault<FaultSpec>[];
}

export function withFaults(inner: Transport, options: FaultOptions): Transport {
  const order = Object.keys(FAULT_KINDS);
  const rank = (scheduled: ScheduledFault<FaultSpec>) => order.indexOf(scheduled.fault.kind);
  const faults = [...options.faults].sort((a, b) => rank(a) - rank(b));
  return {
    connect(serial, receive) {
      const hop = hopper(serial, { ...options, faults });
      const arrived = (datagram: Uint8Array) => hop('down', datagram, receive);
      const channel = inner.connect(serial, arrived);
      return { send: (datagram) => hop('up', datagram, (copy) => channel.send(copy)) } satisfies Channel;
    },
    close: () => inner.close(),
  };
}

/**
 * Moves one device's datagrams over its hop. Those of one direction arrive in the order in which they left, however their
 * delays were drawn: a radio link is a queue. Only the fault `reorder`, which strikes last, lets one overtake another.
 */
function hopper(serial: number, { clock, random, trace, faults }: FaultOptions) {
  const mine = faults.filter((scheduled) => scheduled.hits(serial));
  const draws = new NoiseStream(noiseSeed(random.fork(`net/${serial}`)));
  const lastArrival: Record<Way, Instant> = { up: 0, down: 0 };
  /** Lets no copy arrive before what left earlier. */
  const queueUp = (fate: Fate, way: Way, now: Instant): void => {
    for (let i = 0; i < fate.length; i++) {
      lastArrival[way] = Math.max(now + (fate[i] as Millis), lastArrival[way]);
      fate[i] = lastArrival[way] - now;
    }
  };
  return (way: Way, datagram: Uint8Array, arrive: Receive): void => {
    const { now } = clock;
    const fate: Millis[] = [LEAST_HOP];
    let queued = false;
    for (const { fault, from, until, way: hitWay } of mine) {
      if (now < from || now >= until || (hitWay !== 'both' && hitWay !== way)) continue;
      if (fault.kind === 'reorder' && !queued) {
        queueUp(fate, way, now);
        queued = true;
      }
      if (strike(fault, fate, draws)) trace.emit({ kind: 'net.fault', at: now, serial, fault: fault.kind, way });
    }
    if (!queued) queueUp(fate, way, now);
    for (const delay of fate) clock.after(delay, 'a datagram on its way', () => arrive(datagram));
  };
}
