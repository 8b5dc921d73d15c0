/** What faults do to datagrams, over any transport (here: in memory, on a virtual clock). */
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/kernel/random.js';
import { seconds } from '../../src/kernel/time.js';
import { VirtualClock } from '../../src/kernel/virtual-clock.js';
import { type Datagram, datagramBytes, open, seal, tokenBytes } from '../../src/protocol/flap/envelope.js';
import { NOTHING, POLL } from '../../src/protocol/flap/packet.js';
import { datagramsOf, type FaultCall } from '../../src/scenario/faults/index.js';
import type { TraceEvent } from '../../src/trace/events.js';
import type { ScheduledFault } from '../../src/transport/faults/fault.js';
import { withFaults } from '../../src/transport/faults/with-faults.js';
import { memoryTransport } from '../../src/transport/memory.js';

type Given = Partial<ScheduledFault> & { readonly fault: FaultCall };

/** The fault as the transport applies it; by default always, to all devices. */
function scheduled({ fault, ...given }: Given): ScheduledFault {
  const datagrams = datagramsOf(fault);
  if (datagrams === undefined) throw new Error(`${fault.kind} does nothing to datagrams`);
  return { ...datagrams, from: 0, until: Number.POSITIVE_INFINITY, hits: () => true, ...given };
}

/** Sends `count` numbered datagrams, one each `every` ms, to a cloud that echoes each of them. */
async function send(
  faults: readonly Given[],
  { count = 1000, every = 10, seed = 'net' }: { count?: number; every?: number; seed?: string } = {},
) {
  const clock = new VirtualClock();
  const up: { readonly number: number; readonly took: number }[] = [];
  const down: { readonly number: number; readonly took: number }[] = [];
  const events: TraceEvent[] = [];
  const sentAt: number[] = [];
  const arrivedAt: number[] = [];
  const number = (datagram: Datagram) => Buffer.from(datagramBytes(datagram)).readUInt16BE(0);
  const inner = memoryTransport((datagram, reply) => {
    arrivedAt[number(datagram)] = clock.now;
    up.push({ number: number(datagram), took: clock.now - (sentAt[number(datagram)] ?? 0) });
    reply(datagram);
  });
  const transport = withFaults(inner, {
    clock,
    random: seededRandom(seed),
    trace: { emit: (event) => events.push(event) },
    faults: faults.map(scheduled),
  });
  const receive = (datagram: Datagram): void => {
    down.push({ number: number(datagram), took: clock.now - (arrivedAt[number(datagram)] ?? 0) });
  };
  const channel = transport.connect(7, { receive }, 'raw');
  for (let i = 0; i < count; i++) {
    clock.after(i * every, 'send', () => {
      sentAt[i] = clock.now;
      channel.send(Uint8Array.of(i >> 8, i & 255));
    });
  }
  await clock.runUntil(count * every + seconds(60));
  return { up, down, events };
}

const inOrder = (arrivals: readonly { readonly number: number }[]) =>
  arrivals.every(({ number }, i) => i === 0 || number >= (arrivals[i - 1]?.number ?? 0));

describe('without faults', () => {
  it('every hop takes one millisecond', async () => {
    const { up, down, events } = await send([]);
    expect(up.map(({ took }) => took)).toEqual(Array(1000).fill(1));
    expect(down.map(({ took }) => took)).toEqual(Array(1000).fill(1));
    expect(events).toEqual([]);
  });
});

describe('loss', () => {
  it('drops about its share in each direction, and reports every loss', async () => {
    const { up, down, events } = await send([{ fault: { kind: 'loss', options: 0.1 } }]);
    expect(up.length).toBeGreaterThan(860);
    expect(up.length).toBeLessThan(940);
    expect(events).toHaveLength(1000 - up.length + (up.length - down.length));
  });

  it('of 0 % drops no datagram, and of 100 % drops all', async () => {
    expect((await send([{ fault: { kind: 'loss', options: 0 } }])).down).toHaveLength(1000);
    expect((await send([{ fault: { kind: 'loss', options: 1 } }])).up).toHaveLength(0);
  });

  it('is the same for the same seed, and differs for another seed', async () => {
    const lost = async (seed: string) => (await send([{ fault: { kind: 'loss', options: 0.3 } }], { seed })).up;
    expect(await lost('a')).toEqual(await lost('a'));
    expect(await lost('a')).not.toEqual(await lost('b'));
  });

  it('in one direction does not affect the other', async () => {
    const { up, down } = await send([{ fault: { kind: 'loss', options: 1 }, way: 'down' }]);
    expect([up.length, down.length]).toEqual([1000, 0]);
  });
});

describe('latency', () => {
  it('lies in its range, and keeps the order of datagrams', async () => {
    const { up } = await send([{ fault: { kind: 'latency', options: { min: 150, max: 900 } } }], { every: 1000 });
    expect(Math.min(...up.map(({ took }) => took))).toBeGreaterThanOrEqual(151);
    expect(Math.max(...up.map(({ took }) => took))).toBeLessThanOrEqual(901);
    expect(inOrder((await send([{ fault: { kind: 'latency', options: { min: 1, max: 500 } } }])).up)).toBe(true);
  });

  it('of two faults adds up', async () => {
    const fault = { kind: 'latency', options: { min: 100, max: 100 } } as const;
    const { up } = await send([{ fault }, { fault }], { every: 1000, count: 3 });
    expect(up.map(({ took }) => took)).toEqual([201, 201, 201]);
  });
});

describe('duplication', () => {
  it('delivers about its share twice', async () => {
    const { up } = await send([{ fault: { kind: 'duplication', options: 0.2 }, way: 'up' }]);
    expect(up.length).toBeGreaterThan(1140);
    expect(up.length).toBeLessThan(1260);
  });
});

describe('reorder', () => {
  it('lets later datagrams overtake datagrams that are held back', async () => {
    const { up } = await send([{ fault: { kind: 'reorder', options: { ratio: 0.1, by: 200 } } }]);
    expect(up).toHaveLength(1000);
    expect(inOrder(up)).toBe(false);
    expect(Math.max(...up.map(({ took }) => took))).toBeLessThanOrEqual(201);
  });
});

describe('an outage', () => {
  it('lets nothing pass while it lasts, and everything before and after', async () => {
    const { up, events } = await send([{ fault: { kind: 'outage', options: 'both' }, from: 1000, until: 3000 }]);
    const missing = Array.from({ length: 1000 }, (_, i) => i).filter((i) => !up.some(({ number }) => number === i));
    expect([missing[0], missing.at(-1), missing.length]).toEqual([100, 299, 200]);
    expect(events.every((event) => event.kind === 'net.fault' && event.fault === 'outage')).toBe(true);
  });

  it('of other devices does not affect this one', async () => {
    expect(
      (await send([{ fault: { kind: 'outage', options: 'both' }, hits: (serial) => serial !== 7 }])).down,
    ).toHaveLength(1000);
  });
});

describe('corruption', () => {
  it.each(['base64', 'raw'] as const)(
    'never turns the serial number into that of another device, %s',
    async (format) => {
      const clock = new VirtualClock();
      const named: (number | undefined)[] = [];
      const inner = memoryTransport((datagram) => void named.push(open(datagram, format)?.serial));
      const faults = [scheduled({ fault: { kind: 'corruption', options: 1 }, until: 1, way: 'up' })];
      const options = { clock, random: seededRandom('serial'), trace: { emit: () => {} }, faults };
      const channel = withFaults(inner, options).connect(8, { receive: () => {} }, format);
      const datagram = seal({ flags: POLL, sequence: 0, data: NOTHING }, 8, tokenBytes('00'.repeat(16)), format);
      for (let i = 0; i < 200; i++) channel.send(datagram);
      await clock.runUntil(10);
      expect(new Set(named.filter((serial) => serial !== undefined))).toEqual(new Set([8, 0xffff_ffff]));
    },
  );

  it('flips one bit in each datagram of its share', async () => {
    const { up, events } = await send([{ fault: { kind: 'corruption', options: 0.1 }, way: 'up' }]);
    const flipped = up.filter(({ number }, i) => number !== i);
    expect(up).toHaveLength(1000);
    expect(flipped).toHaveLength(events.length);
    expect(flipped.length).toBeGreaterThan(60);
    expect(flipped.length).toBeLessThan(140);
    for (const [i, { number }] of up.entries())
      expect([0, 1]).toContain((number ^ i).toString(2).replaceAll('0', '').length);
  });
});

describe('bandwidth', () => {
  it('lets datagrams queue up, separately in each direction', async () => {
    // 16 bits at 100 bit/s take 160 ms.
    const { up, down } = await send([{ fault: { kind: 'bandwidth', options: 100 } }], { count: 3, every: 10 });
    expect(up.map(({ took }) => took)).toEqual([161, 311, 461]);
    expect(down.map(({ took }) => took)).toEqual([161, 161, 161]);
  });

  it('does not delay datagrams with enough time between them', async () => {
    const { up } = await send([{ fault: { kind: 'bandwidth', options: 100 } }], { count: 3, every: 200 });
    expect(up.map(({ took }) => took)).toEqual([161, 161, 161]);
  });
});

describe('jitter', () => {
  it.each([
    ['even', 50, 29],
    ['bell', 50, 14],
    ['tail', 100, 100],
  ] as const)('of the shape "%s" has the mean and the spread of this shape', async (shape, mean, deviation) => {
    const { up } = await send([{ fault: { kind: 'jitter', options: { by: 100, shape } }, way: 'up' }], { every: 2000 });
    const delays = up.map(({ took }) => took - 1);
    const average = delays.reduce((a, b) => a + b, 0) / delays.length;
    const spread = Math.sqrt(
      delays.reduce((sum, delay) => sum + (delay - average) * (delay - average), 0) / delays.length,
    );
    expect(average / mean).toBeCloseTo(1, 0.9);
    expect(spread / deviation).toBeCloseTo(1, 0.9);
  });
});
