/**
 * The radio is lost inside an exchange: after its first answer, while the modem listens, or in the evaluation of the connection
 * (`ctr_lte_v2.c`, measured with the compiled firmware).
 */
import { describe, expect, it } from 'vitest';
import { type Millis, seconds } from '../../../src/kernel/time.js';
import { FIRST, LAST, POLL } from '../../../src/protocol/flap/packet.js';
import { expectTimes, type MeasuredOptions, measured, report, scripted } from './measured.js';

/** The modem of these measurements boots in 3.43 s. */
const BOOT = { boot: [3430, 3430] } as const;

type Bench = Awaited<ReturnType<typeof measured>>;

/** Cuts the coverage right after the first answer of the exchange that begins now, and returns the time of the cut. */
async function cutAfterAnswer(bench: Bench): Promise<Millis> {
  while (bench.sent().length === 0) await bench.run(1);
  await bench.run(2);
  bench.device.radio(false);
  return bench.now();
}

async function polling(options: MeasuredOptions, queue: (bench: Bench) => Promise<unknown>) {
  const bench = await measured(options);
  await queue(bench);
  bench.zero();
  bench.device.shell('cloud poll');
  await cutAfterAnswer(bench);
  return bench;
}

/** Expects a time within 0.15 s of the measured one. */
function expectTime(at: Millis | undefined, measuredSeconds: number): void {
  expect(Math.abs((at ?? 0) / 1000 - measuredSeconds)).toBeLessThanOrEqual(0.15);
}

describe('a datagram that follows an answer, without radio', () => {
  it('is the final acknowledgement of a shell downlink: the poll fails at 60.5 s, and the command never runs', async () => {
    const { device, until, times, of } = await polling({}, (bench) => bench.command());
    await until(seconds(75));
    device.radio(true);
    await until(seconds(400));
    expectTime(times('poll.failed')[0], 60.5);
    expect(of('poll.failed').at(-1)?.why).toBe('no radio connection');
    expectTimes(times('device.wake'), [360.5]);
    expect(times('downlink.executed')).toEqual([]);
    // The cloud has sent the last fragment, and takes the next poll as proof of delivery.
    expectTimes(times('downlink.delivered'), [361]);
  });

  it('is the acknowledgement of the first of several fragments: everything is fetched again after 5 min', async () => {
    const lines = Array.from({ length: 40 }, (_, i) => `app config interval-sample ${61 + i}`);
    const { device, until, times } = await polling({}, (bench) => bench.configure(lines));
    await until(seconds(75));
    device.radio(true);
    await until(seconds(372));
    expectTime(times('poll.failed')[0], 60.5);
    expectTimes(times('device.boot'), [363.5]);
  });

  it('does not disturb the modem: the attach window goes on', async () => {
    const { device, until, times, phases } = await polling({}, (bench) => bench.command());
    const seen = await phases(seconds(100));
    expect(seen.map(({ state }) => state).filter((state) => state !== 'coneval')).toEqual(['attach']);
    device.radio(true);
    await until(seconds(360));
    expect(device.modem.registered).toBe(true);
    expectTime(times('poll.failed')[0], 60.5);
  });

  it.each([120, 600])(
    'is the second fragment of a report, for %i s: it fails after its budget and stays in the spool',
    async (outage) => {
      const bench = await measured();
      await bench.run(seconds(3600));
      const { device, until, phases, zero } = bench;
      zero();
      report(device);
      await cutAfterAnswer(bench);
      await until(seconds(119));
      expect(device.busyWith).toContain('an exchange');
      const seen = await phases(seconds(Math.max(122, Math.min(outage, 300))));
      // The report failed 120 s after the fragment was handed over (measured 121.5 s).
      expect(device.busyWith).toBeUndefined();
      expect(device.spool.count).toBe(1);
      expect(seen.map(({ state }) => state)).toEqual(['attach']);
    },
  );

  it.each([
    [100, 101.2],
    [400, 401.2],
  ])(
    'is the acknowledgement of a poll every 60 s, for %i s: the next poll is on air when the modem has registered',
    async (outage, expected) => {
      const bench = await measured({ config: ['app config interval-poll 60'] });
      await bench.command();
      await bench.tick(seconds(60));
      const cut = await cutAfterAnswer(bench);
      await bench.until(cut + seconds(outage));
      bench.device.radio(true);
      await bench.until(cut + seconds(outage + 20));
      const next = bench.sent().find(({ at }) => at > cut);
      // Measured 104.2 s and 404.2 s, with the loss at 3.0 s.
      expectTime((next?.at ?? 0) - cut, expected);
    },
  );

  it('is not the first datagram after a sleep: that fails 30 s after its budget with −14', async () => {
    const { device, zero, until, times, of } = await measured();
    zero();
    device.radio(false);
    device.shell('cloud poll');
    await until(seconds(100));
    expectTime(times('poll.failed')[0], 90);
    expect(of('poll.failed').at(-1)?.why).toBe('modem stuck');
  });
});

describe('a loss of the network in the evaluation of the connection', () => {
  it('of 2 s: the modem attaches at once, and the report at 5 s is on air at 6.21 s', async () => {
    const bench = await measured({ profile: 'control', modem: { ...BOOT, evaluation: 10 } });
    const { device, until, zero, sent } = bench;
    zero();
    await until(seconds(2.5));
    device.shell('cloud poll');
    await cutAfterAnswer(bench);
    await until(seconds(5));
    device.radio(true);
    report(device);
    await until(seconds(10));
    expectTime(sent().find(({ packet }) => packet.data.length > 0)?.at, 6.21);
  });

  it('of 4,200 s: the attach policy goes on, and the next report is on air at 7,232.3 s', async () => {
    const bench = await measured({ profile: 'control', modem: { ...BOOT, evaluation: 10 } });
    const { device, until, zero, sent } = bench;
    zero();
    await until(seconds(5));
    device.shell('cloud poll');
    const cut = await cutAfterAnswer(bench);
    report(device);
    await until(cut + seconds(4200));
    device.radio(true);
    await until(seconds(7300));
    expectTime(sent().find(({ packet }) => packet.data.length > 0)?.at, 7232.3);
  });
});

describe('an answer of the cloud that is longer than the buffer of the device', () => {
  it.each([
    [367, true],
    [368, false],
    [494, false],
    [721, false],
  ])('with %i bytes of data: acknowledged %s', async (size, acknowledged) => {
    const { device, serve, run, start, of, sent, clock } = await scripted();
    await start();
    const data = new Uint8Array(size);
    data[0] = 0x86;
    serve.by = ({ flags }) => (flags & POLL ? { flags: FIRST | LAST, data } : undefined);
    const began = clock.now;
    device.shell('cloud poll');
    await run(seconds(70));
    const copies = sent().filter(({ flags }) => flags === POLL);
    // Each copy after 5.3 s: the pause of the error state, and a radio connection.
    expect(copies.length).toBe(acknowledged ? 1 : 12);
    const failed = of('poll.failed').map(({ at }) => Math.round((at - began) / 1000));
    expect(failed).toEqual(acknowledged ? [] : [60]);
  });
});
