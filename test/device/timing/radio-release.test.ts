/**
 * The release of a radio connection by the network, after a datagram without an answer (`ctr_lte_v2.c`, FLAG_CSCON). All modems
 * here take 2.0 s for a radio connection, and 0.2 s to wake up.
 */
import { describe, expect, it } from 'vitest';
import { keepsIdle } from '../../../src/device/modem/signal.js';
import { ASSUMED_TIMINGS } from '../../../src/device/modem/timing.js';
import { defineScenario, run } from '../../../src/index.js';
import { minutes, seconds } from '../../../src/kernel/time.js';
import { measured, report } from './measured.js';

/** A device that polls a silent cloud, over a network that releases the connection `release` seconds after a datagram. */
async function silent(release: number, profile?: string) {
  const bench = await measured({
    ...(profile === undefined ? {} : { profile }),
    modem: { connect: [2000, 2000], release: [seconds(release), seconds(release)] },
  });
  bench.zero();
  bench.network.up = false;
  bench.device.shell('cloud poll');
  const tenths = (time: number) => Math.round(time / 100) / 10;
  return {
    ...bench,
    /** Times between copies up to 90 s, in seconds. */
    periods: async () => {
      await bench.until(seconds(90));
      const at = bench.sent().map((copy) => copy.at);
      return at.slice(1).map((time, i) => tenths(time - (at[i] ?? 0)));
    },
    /** When the last datagram went on air, in seconds. */
    last: () => tenths(bench.sent().at(-1)?.at ?? 0),
  };
}

describe('a poll that a silent cloud does not answer', () => {
  it.each([
    [2, [12, 12, 12, 12]],
    [5, [12, 12, 12, 12]],
    [6, [12, 10, 10, 10]],
    [8, [12, 10, 10, 10]],
    [11, [10, 10, 10, 10, 10]],
    [15, [10, 10, 10, 10, 10]],
  ])('is repeated after a release %i s after the datagram', async (release, expected) => {
    const { periods } = await silent(release);
    expect((await periods()).slice(0, expected.length)).toEqual(expected);
  });

  it('has six copies within its 60 s if the connection stays', async () => {
    const { periods } = await silent(11);
    expect(await periods()).toHaveLength(5);
  });

  it('listens only for the rest of its 5 s after a release in the pause', async () => {
    const { until, sent, phases } = await silent(6);
    await until(seconds(12));
    const listening = (await phases(seconds(20))).find(({ state }) => state === 'receive');
    const second = sent()[1]?.at ?? 0;
    // It listens from 12.2 s, is on air at 14.2 s, and ends at 17.2 s.
    expect(Math.abs((listening?.at ?? 0) + (listening?.lasted ?? 0) - second - 3000)).toBeLessThanOrEqual(200);
  });

  it.each([
    [6, [12, 12, 12, 12, 12]],
    [11, [10, 10, 10, 10, 10]],
  ])('of a hio device, which notices a release after %i s in the pause', async (release, expected) => {
    const { periods } = await silent(release, 'hio-node');
    expect((await periods()).slice(0, expected.length)).toEqual(expected);
  });
});

describe('after the last copy of a poll, at 52.2 s', () => {
  it('the modem stays in "ready" until the release after 11 s, then sleeps', async () => {
    const { until, phases } = await silent(11);
    await until(seconds(60.5));
    const states = (await phases(seconds(70))).map(({ state, at }) => [state, Math.round(at / 100) / 10]);
    expect(states).toEqual([
      ['error', 60.5],
      ['ready', 62.2],
      ['sleep', 63.2],
    ]);
  });

  it('a report goes on air at once while the connection is open', async () => {
    const { device, until, last } = await silent(15);
    await until(seconds(64));
    report(device);
    await until(seconds(65));
    expect(last()).toBe(64);
  });

  it('a report needs 0.2 s to wake up and 2.0 s for a connection after the release', async () => {
    const { device, until, last } = await silent(11);
    await until(seconds(64));
    report(device);
    await until(seconds(67));
    expect(last()).toBe(66.2);
  });

  it('a loss of the network is noticed while the connection is open: the modem attaches at once', async () => {
    const { device, until } = await silent(15);
    await until(seconds(64));
    device.radio(false);
    expect(device.modem.state).toBe('attach');
  });
});

describe('a release before the end of the error state', () => {
  it.each([
    [
      'in the pause: the firmware listens to the next report at once, and for 5 s less the 2.0 s of its connection',
      6,
      5,
    ],
    ['while the firmware listens: it listens for 5 s, once it has a connection', 4, 7],
  ])('%s. It has also missed that the modem sleeps, and does not wake it', async (_, release, listens) => {
    const { device, until, phases, sent } = await silent(release);
    await until(minutes(2));
    expect(device.modem.state).toBe('ready');
    const before = sent().length;
    report(device);
    const states = await phases(minutes(2) + seconds(11));
    const [first, second] = states;
    expect(Math.round(((sent()[before]?.at ?? 0) - minutes(2)) / 100) / 10).toBe(2);
    const end = (first?.state === 'send' ? second : first) ?? first;
    expect(Math.round(((end?.at ?? 0) + (end?.lasted ?? 0) - minutes(2)) / 100) / 10).toBe(listens);
    expect(states.map(({ state }) => state)).not.toContain('wakeup');
  });
});

describe('the radio connection of a silent poll in "lte metrics"', () => {
  it.each([
    // One connection, from 2.2 s until 11 s after the last of six copies, at 52.2 s.
    [11, 61],
    // Each copy has a connection of its own: six copies, and five copies.
    [6, 36],
    [2, 10],
  ])('counts until its release, %i s after the last datagram', async (release, expected) => {
    const { device, until } = await silent(release);
    const duration = () =>
      Number(
        device
          .shell('lte metrics')
          .lines.find((line) => line.startsWith('cscon 1 duration'))
          ?.split(': ')[1],
      );
    const before = duration();
    await until(seconds(100));
    expect(Math.abs(duration() - before - seconds(expected))).toBeLessThanOrEqual(150);
  });
});

describe('the release by default', () => {
  const of = (seed: number) => keepsIdle(seed, ASSUMED_TIMINGS.release);
  const times = Array.from({ length: 1000 }, (_, seed) => of(seed));

  it('is 10 to 12 s after a datagram, 11 s on average, and differs between devices', () => {
    expect(Math.min(...times)).toBeGreaterThanOrEqual(10_000);
    expect(Math.max(...times)).toBeLessThanOrEqual(12_000);
    expect(Math.abs(times.reduce((sum, time) => sum + time) / times.length - 11_000)).toBeLessThan(100);
    expect(new Set(times).size).toBeGreaterThan(500);
  });
});

describe('an answer that arrives while the firmware takes a released connection for open', () => {
  it('is read once: the acknowledgement behind it needs no answer, so a copy waits in the socket', async () => {
    const result = await run(
      defineScenario({
        ...{ name: 'late-copies', duration: '150m', settle: '1m', network: { 'radio-release': '6s..8s' } },
        fleet: [
          { name: 'clime', profile: 'clime', count: 8, config: { 'interval-report': 900, 'interval-poll': 120 } },
        ],
        faults: [
          { latency: '6100ms..6900ms', from: '18m' },
          { duplication: '90%', from: '18m' },
          { reorder: { ratio: '30%', by: '3s' }, from: '18m' },
        ],
        steps: Array.from({ length: 30 }, (_, i) => ({ at: `${20 + 4 * i}m`, to: 'all', commands: ['info show'] })),
        expect: ['device.failed == 0'],
      }),
    );
    expect(result.expectations.map(({ passed }) => passed)).toEqual([true]);
    expect(result.downlinks.delivered).toBeGreaterThan(0);
  });
});
