/**
 * The attach policy and the errors of the modem, with and without a send that has a time limit (timing T-45 to T-57). Error
 * −11: another exchange holds the lock of the cloud connection.
 */
import { describe, expect, it } from 'vitest';
import { hours, minutes, seconds } from '../../../src/kernel/time.js';
import { expectTimes, lengths, measured, path, report, unplugged, windows } from './measured.js';

/** The timelines of the document assume a modem boot of 6 s, as on real hardware. */
const REAL_BOOT = { boot: [6000, 6000], wake: 0 } as const;

describe('timeline 10.2: 70 min without network, a report without time limit', () => {
  it('made at 600 s arrives as soon as the network is back, because the third attach window is still open', async () => {
    const { device, until, phases, times } = await unplugged({ profile: 'control', modem: REAL_BOOT });
    await until(seconds(600));
    report(device);
    expectTimes(windows(await phases(seconds(4202.6))), [616, 916, 927, 1227, 1238, 4202.6]);
    device.radio(true);
    await until(seconds(4210));
    expectTimes(times('uplink.acked').slice(0, 1), [4204]);
  });

  it('made at 600 s arrives 61 min late if attaching takes longer than the rest of the third window', async () => {
    const modem = { ...REAL_BOOT, attach: [40_000, 40_000] } as const;
    const { device, until, phases, times, zero } = await measured({ profile: 'control', modem });
    await until(minutes(3));
    zero();
    device.radio(false);
    await until(seconds(600));
    report(device);
    await until(seconds(4202.6));
    device.radio(true);
    const seen = await phases(seconds(7900));
    expectTimes([seen.find(({ state }) => state === 'retry_delay')?.at ?? 0], [4238]);
    expectTimes(times('uplink.acked').slice(0, 1), [7849 + 40]);
  });

  it('made at 0 s arrives 51 min late, because the pause of the attach policy has begun', async () => {
    const config = ['app config interval-report 1800'];
    const { device, until, phases, times } = await unplugged({ profile: 'control', modem: REAL_BOOT, config });
    report(device);
    const before = await phases(seconds(4202.6));
    expectTimes(windows(before), [16, 316, 327, 627, 638, 3638]);
    expect(device.modem.state).toBe('retry_delay');
    device.radio(true);
    await until(seconds(7300));
    // After the outage, the old body is sent first, and a new one right after it.
    expectTimes(times('uplink.acked'), [7249 + 1.2, 7249 + 1.2]);
  });

  it('with polls every 60 s: the polls fail with −11 each minute and do not affect the attach policy', async () => {
    const { device, phases, times, of } = await unplugged({
      profile: 'control',
      modem: REAL_BOOT,
      config: ['app config interval-poll 60'],
    });
    report(device);
    expectTimes(windows(await phases(seconds(3700))), [16, 316, 327, 627, 638, 3638]);
    expect(times('poll.failed').length).toBeGreaterThanOrEqual(58);
    const reasons = new Set(of('poll.failed').map(({ why }) => why));
    expect([...reasons]).toEqual(['another exchange holds the cloud lock']);
  });
});

describe('the attach policy', () => {
  it.each([
    ['aggressive', [0, 300, 305, 605, 610, 3610, 3615]],
    ['periodic-2h', [0, 300, 305, 605, 610, 3610, 3615 + 3600]],
    ['progressive', [0, 300, 305, 605, 610, 3610, 3615 + 3600]],
  ])('%s: 5 s of flight mode and a boot between two windows', async (policy, expected) => {
    const { device, phases } = await unplugged({ config: [`lte config attach-policy ${policy}`] });
    device.modem.reconnect();
    const seen = await phases(hours(2) + minutes(10));
    const boot = 330;
    const begins = windows(seen).map((at, i) => at - boot * (Math.floor(i / 2) + 1));
    expectTimes(begins.slice(0, 7), expected);
  });

  it('restarts with its first attempt after a registration and after "lte reconnect"', async () => {
    const { device, until } = await unplugged();
    device.modem.reconnect();
    await until(minutes(15));
    expect(device.modem.attempt).toBe(3);
    device.shell('lte reconnect');
    await until(minutes(16));
    expect(device.modem.attempt).toBe(1);
    device.radio(true);
    await until(minutes(17));
    device.radio(false);
    device.modem.reconnect();
    await until(minutes(18));
    expect(device.modem.attempt).toBe(1);
  });
});

describe('a registration that is lost', () => {
  it('while the modem sleeps is found by the check of the next send; the attach window begins after 10.56 s', async () => {
    const { device, phases, zero } = await measured();
    device.controls.modem('lost-registration');
    zero();
    report(device);
    const window = (await phases(seconds(20))).find(({ state }) => state === 'attach');
    expectTimes([window?.at ?? 0], [10.56]);
  });

  it.each([
    ['waits for its radio connection', 'send', { connect: [5000, 5000] }],
    ['is awake between exchanges', 'ready', {}],
  ] as const)(
    'while the modem %s starts an attach at once, without switching the modem off',
    async (_, state, modem) => {
      const { device, until, zero, phases } = await measured({ modem });
      if (state === 'ready') device.modem.setPowerSaving(false);
      device.modem.reconnect();
      await until(minutes(2));
      zero();
      device.shell('cloud poll');
      for (let at = 0; device.modem.state !== state && at < 20_000; at += 10) await until(at);
      device.controls.modem('lost-registration');
      const seen = await phases(seconds(40));
      expect(seen[0]?.state).toBe('attach');
      expect(lengths(seen, 'error')).toEqual([]);
    },
  );

  it('is not noticed if the registration is back before the next send', async () => {
    const { device, until, times } = await unplugged();
    await until(minutes(10));
    device.radio(true);
    report(device);
    await until(minutes(11));
    expectTimes(times('uplink.acked'), [600.5]);
  });
});

describe('a socket that is lost', () => {
  it('is reopened after 5 s, twice; the third error in a row restarts the modem', async () => {
    const { device, phases, zero } = await measured({ modem: { openSocket: 300 } });
    device.controls.modem('no-socket');
    zero();
    report(device);
    expect(lengths(await phases(seconds(21)), 'error')).toEqual([5, 5, 10]);
  });
});

describe('a reset loop', () => {
  it('keeps the modem off for 32 min and 10 s; then the modem attaches without a boot', async () => {
    const { device, phases, zero, until, times } = await measured();
    zero();
    device.controls.modem('reset-loop');
    await until(minutes(32));
    device.shell('cloud poll');
    const seen = await phases(minutes(33));
    expect(path(seen)).toEqual(['reset_loop', 'attach', 'sleep']);
    expect(seen.map(({ state }) => state)).not.toContain('boot');
    expectTimes(times('device.wake'), [1920]);
    expectTimes([seen.find(({ state }) => state === 'attach')?.at ?? 0], [1930]);
  });
});

describe('without power saving mode', () => {
  it('the modem is in flight mode 0.5 s after it has evaluated the connection, and the next wake-up leads to an attach', async () => {
    const { device, until, phases, zero } = await measured({ modem: { evaluation: 1000 } });
    device.modem.setPowerSaving(false);
    device.modem.reconnect();
    await until(minutes(2));
    zero();
    device.shell('cloud poll');
    const seen = await phases(seconds(10));
    const states = seen.map(({ state }) => state);
    expect(states.slice(0, 2)).toEqual(['wakeup', 'attach']);
    expect(states.slice(-3)).toEqual(['coneval', 'ready', 'sleep']);
    expect(seen.at(-2)?.lasted).toBe(500);
    expect(device.modem.counters.lastDuration).toBe(1200);
  });
});
