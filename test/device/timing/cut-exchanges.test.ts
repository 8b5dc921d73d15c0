/**
 * The radio is lost inside an exchange: after its first answer, while the modem listens, or in the evaluation of the connection
 * (`ctr_lte_v2.c`, measured with the compiled firmware).
 *
 * In the measurements, an exchange begins at 1 s, so that its first datagram is on air at 1.5 s (hio: 1.3 s) and answered at
 * once. The radio is lost half a second later, in the middle of an evaluation of 1 s.
 */
import { describe, expect, it } from 'vitest';
import { type Millis, seconds } from '../../../src/kernel/time.js';
import { FIRST, LAST, POLL } from '../../../src/protocol/flap/packet.js';
import { type MeasuredOptions, measured, report, scripted } from './measured.js';

/** The modem of these measurements. */
const MODEM = { boot: [3430, 3430], evaluation: 1000 } as const;

type Bench = Awaited<ReturnType<typeof measured>>;

interface Cut extends MeasuredOptions {
  /** Queues the downlink that the poll fetches. Default: none */
  readonly queue?: (bench: Bench) => Promise<unknown>;
  /** Begins the exchange. Default: a poll */
  readonly start?: (bench: Bench) => void;
  /** When the exchange begins. Default: 1 s */
  readonly from?: Millis;
}

/** A device that is cut off half a second after the first datagram of an exchange, and is back after `outage`. */
async function cut(outage: Millis, options: Cut = {}): Promise<Bench> {
  const { queue, start = ({ device }) => device.shell('cloud poll'), from = seconds(1), ...rest } = options;
  const bench = await measured({ modem: MODEM, ...rest });
  await bench.run(seconds(3600));
  await queue?.(bench);
  bench.zero();
  await bench.until(from);
  start(bench);
  while (bench.sent().length === 0) await bench.run(1);
  await bench.run(seconds(0.5));
  bench.device.radio(false);
  const back = bench.now() + outage;
  return { ...bench, until: (at) => passing(bench, back, at) };
}

/** Lets time pass until `at`, with the radio back at `back`. */
async function passing(bench: Bench, back: Millis, at: Millis): Promise<void> {
  if (bench.now() < back && back <= at) {
    await bench.until(back);
    bench.device.radio(true);
  }
  await bench.until(at);
}

const withCommand = { queue: (bench: Bench) => bench.command() };

/** Expects times within 0.15 s of the measured ones. */
function expectTimes(times: readonly (Millis | undefined)[], measuredSeconds: readonly number[]): void {
  const close = times.map((at = Number.NaN, i) => {
    const exact = measuredSeconds[i] ?? Number.NaN;
    return Math.abs(at / 1000 - exact) <= 0.15 ? exact : at / 1000;
  });
  expect(close).toEqual(measuredSeconds);
}

const timesOf = (bench: Bench) => bench.sent().map(({ at }) => at);

describe('a datagram that follows an answer, without radio', () => {
  // The poll begins at 1 s, and its acknowledgement is handed over at 1.5 s: measured 60.5 s after the begin of the poll.
  it.each([75, 100])(
    'is the final acknowledgement of a shell downlink, for %i s: the poll fails, and the command never runs',
    async (outage) => {
      const bench = await cut(seconds(outage), withCommand);
      await bench.until(seconds(400));
      expectTimes(bench.times('poll.failed'), [61.5]);
      expect(bench.of('poll.failed').at(-1)?.why).toBe('no radio connection');
      expectTimes(timesOf(bench), [1.5, 362]);
      expect(bench.times('downlink.executed')).toEqual([]);
      // The cloud has sent the last fragment, and takes the next poll as proof of delivery.
      expectTimes(bench.times('downlink.delivered'), [362]);
    },
  );

  it('is the acknowledgement of the first of four fragments: everything is fetched again after 5 min', async () => {
    const lines = Array.from({ length: 44 }, (_, i) => `app config interval-sample ${61 + (i % 30)}`);
    const bench = await cut(seconds(75), { queue: ({ configure }) => configure(lines) });
    await bench.until(seconds(371));
    expectTimes(bench.times('poll.failed'), [61.5]);
    // The poll and four acknowledgements, an evaluation apart; the reboot follows the last of them by 2 s and 0.01 s a line.
    expectTimes(timesOf(bench), [1.5, 362, 363, 364, 365, 366]);
    expectTimes(bench.times('device.boot'), [368.44]);
  });

  it('does not disturb the modem: the attach window goes on', async () => {
    const { device, until, phases } = await cut(seconds(100), withCommand);
    const seen = await phases(seconds(101));
    expect(seen.map(({ state }) => state).filter((state) => state !== 'coneval')).toEqual(['attach']);
    await until(seconds(360));
    expect(device.modem.registered).toBe(true);
  });

  it.each([120, 600])(
    'is the second fragment of a report, for %i s: it fails after its budget and stays in the spool',
    async (outage) => {
      const bench = await cut(seconds(outage), { start: ({ device }) => report(device) });
      const { device, until, phases } = bench;
      await until(seconds(121.4));
      expect(device.busyWith).toContain('an exchange');
      await until(seconds(121.6));
      expect(device.busyWith).toBeUndefined();
      expect(device.spool.count).toBe(1);
      const seen = await phases(seconds(Math.min(outage, 300)));
      expect(new Set(seen.map(({ state }) => state))).toEqual(new Set(outage > 120 ? ['attach'] : []));
      await until(seconds(outage + 60));
      expectTimes(timesOf(bench), [1.5]);
    },
  );

  it.each([
    [100, [61.5], [1.5, 104.2]],
    [400, [61.5, 151.5, 241.5, 331.5], [1.5, 404.2, 405.2]],
  ])(
    'is the acknowledgement of a poll every 60 s, for %i s: the next poll is on air when the modem is ready again',
    async (outage, failed, sent) => {
      const bench = await measured({ modem: MODEM, config: ['app config interval-poll 60'] });
      await bench.command();
      await bench.tick(seconds(60));
      // A tick is at 1 s.
      const { until, device } = bench;
      const at = (time: Millis) => until(time - seconds(1));
      await at(seconds(2));
      device.radio(false);
      await at(seconds(2 + outage));
      device.radio(true);
      await at(seconds(outage + 10));
      const later = (time: Millis) => time + seconds(1);
      expectTimes(bench.times('poll.failed').map(later), failed);
      expectTimes(timesOf(bench).map(later), sent);
    },
  );

  it('is not the first datagram after a sleep: that fails 30 s after its budget with −14', async () => {
    const { device, zero, until, times, of } = await measured({ modem: MODEM });
    zero();
    device.radio(false);
    device.shell('cloud poll');
    await until(seconds(100));
    expectTimes(times('poll.failed'), [90]);
    expect(of('poll.failed').at(-1)?.why).toBe('modem stuck');
  });
});

describe('a loss of the network in the evaluation of the connection', () => {
  const onAir = (bench: Bench) => bench.sent().find(({ packet }) => packet.data.length > 0)?.at;

  it('of 2 s: the modem attaches at once, and the report at 5 s is on air at 6.21 s', async () => {
    const bench = await cut(seconds(2), { profile: 'control' });
    await bench.until(seconds(5));
    report(bench.device);
    await bench.until(seconds(10));
    expectTimes([onAir(bench)], [6.21]);
  });

  it('of 4,200 s: the attach policy goes on, and the next report is on air at 7,232.3 s', async () => {
    const bench = await cut(seconds(4200), { profile: 'control', from: seconds(3) });
    report(bench.device);
    await bench.until(seconds(7300));
    expectTimes([onAir(bench)], [7232.3]);
  });

  it('of 3 s in a hio device: the report at 5 s is on air at 7.0 s', async () => {
    const bench = await cut(seconds(3), { profile: 'hio-node' });
    await bench.until(seconds(5));
    report(bench.device);
    await bench.until(seconds(10));
    expectTimes([onAir(bench)], [7]);
  });
});

describe('an answer of the cloud that is longer than the buffer of the device', () => {
  /** Polls a cloud that answers with `size` bytes of data, and returns the copies of the poll and the failure. */
  async function polls(size: number, profile: string) {
    const { device, serve, run, start, of, sent, clock } = await scripted({ profile });
    await start();
    const data = new Uint8Array(size);
    data[0] = 0x86;
    serve.by = ({ flags }) => (flags & POLL ? { flags: FIRST | LAST, data } : undefined);
    const began = clock.now;
    device.shell('cloud poll');
    await run(seconds(70));
    return {
      copies: sent().filter(({ flags }) => flags === POLL).length,
      failed: of('poll.failed').map(({ at, why }) => [Math.round((at - began) / 1000), why]),
      overruns: of('device.overrun').map(({ bytes, read }) => [bytes, read]),
      executed: of('downlink.executed').filter(({ type }) => type === 'data').length,
    };
  }

  it('has 367 bytes of data at most in a CHESTER', async () => {
    expect(await polls(367, 'clime')).toEqual({ copies: 1, failed: [], overruns: [], executed: 1 });
  });

  it.each([
    [368, 512],
    [494, 680],
    [721, 980],
  ])('is not read by a CHESTER, as if no answer came at once: %i bytes of data', async (size, bytes) => {
    const { copies, failed, overruns, executed } = await polls(size, 'clime');
    // Each copy after 5.3 s: the pause of the error state, and a radio connection.
    expect(copies).toBe(12);
    expect(failed).toEqual([[60, 'no answer in time']]);
    expect(overruns).toEqual(Array(12).fill([bytes, 0]));
    expect(executed).toBe(0);
  });

  it('has 494 bytes of data at most in a hio device', async () => {
    expect(await polls(494, 'hio-node')).toEqual({ copies: 1, failed: [], overruns: [], executed: 1 });
  });

  it('is cut to 508 bytes by a hio device, so that its tag is wrong and the poll fails at once', async () => {
    expect(await polls(495, 'hio-node')).toEqual({
      copies: 1,
      failed: [[0, 'unreadable answer']],
      overruns: [[509, 508]],
      executed: 0,
    });
  });
});
