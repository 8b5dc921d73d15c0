/** A stuck modem: error −14 in every state, and the worked timeline 10.1 (timing T-41, T-55). */
import { describe, expect, it } from 'vitest';
import { hours, minutes, seconds } from '../../../src/kernel/time.js';
import { expectTimes, lengths, measured, path, report, unplugged, windows } from './measured.js';

describe('timeline 10.1: 70 min without network, a report every 30 min, send timeout 120 s', () => {
  it('run B, reports at 600, 2401 and 4203 s: −14 at 750 and 2551 s, the command 1.4 s after the outage', async () => {
    const bench = await unplugged();
    const { device, phases, until, times, command } = bench;
    await command();
    await until(seconds(600));
    report(device);
    const first = await phases(seconds(2400.4));
    expectTimes(windows(first), [610.8, 750.3, 770.7, 1070.7, 1076.2, 1376.2, 1381.7, 2400.4]);
    expect(lengths(first, 'error')).toEqual([10, 20]);
    report(device);
    const second = await phases(seconds(4202.6));
    expect(lengths(second, 'error')).toEqual([30]);
    expectTimes(windows(second), [2400.4, 2550.8, 2581.2, 4202.6]);
    device.radio(true);
    await until(seconds(4202.8));
    report(device);
    await until(seconds(4230));
    expectTimes(times('downlink.executed'), [4204]);
    // The two older reports follow from the spool.
    expect(times('uplink.acked').length).toBe(4);
    expect(device.spool.count).toBe(0);
  });

  it('run A: reports at 0, 1800 and 3600 s each get error −14 after 150 s, without the pause of an hour', async () => {
    const { device, phases } = await unplugged();
    const all = [];
    for (const at of [1800, 3600, 4200]) {
      report(device);
      all.push(...(await phases(seconds(at))));
    }
    // `phases` is called once for each report, which splits the attach window at that time in two.
    expectTimes(windows(all), [
      ...[10.6, 150, 170.5, 470.5, 475.9, 775.9, 781.4, 1800],
      ...[1800, 1950.2, 1980.7, 3600],
      ...[3600, 3750.2, 3790.7, 4200],
    ]);
    expect(lengths(all, 'error')).toEqual([10, 20, 30, 40]);
  });

  it('without a report at the end, the modem registers at once and the command arrives with the next report', async () => {
    const { device, until, times, command } = await unplugged();
    await command();
    for (const at of [1800, 3600, 4200]) {
      report(device);
      await until(seconds(at));
    }
    device.radio(true);
    await until(seconds(4203));
    expect(device.modem.registered).toBe(true);
    await until(seconds(4800));
    expect(times('downlink.executed')).toEqual([]);
    report(device);
    await until(seconds(4810));
    expectTimes(times('downlink.executed'), [4801]);
  });
});

describe('run F: polls every 60 s, one hour without network, a modem that attaches in 15 s', () => {
  it('−14 every 90 s interrupts the windows, the modem is off for 10, 20 … 220 s, and the command comes 56.2 s after the end', async () => {
    const bench = await measured({ config: ['app config interval-poll 60'], modem: { attach: [15_000, 15_000] } });
    const { device, phases, tick, until, times, command } = bench;
    await command();
    // The loss comes while the device sleeps, right before a tick.
    await tick(seconds(60));
    device.radio(false);
    const seen = await phases(hours(1));
    expect(lengths(seen, 'error').slice(0, -1)).toEqual(Array.from({ length: 21 }, (_, i) => (i + 1) * 10));
    for (const window of lengths(seen, 'attach')) expect(window).toBeLessThanOrEqual(90);
    device.radio(true);
    await until(hours(1) + minutes(6));
    expectTimes(times('downlink.executed'), [3600 + 56.2]);
  });
});

describe('error −14, by the state of the modem', () => {
  it('attach: after the back-off, the modem boots and repeats the attempt with its full window', async () => {
    const { device, phases } = await unplugged();
    report(device);
    const seen = await phases(seconds(400));
    expectTimes(windows(seen), [10.6, 150, 170.5, 400]);
    expect(device.modem).toMatchObject({ attempt: 1, wait: { timeout: minutes(5) } });
  });

  it('retry_delay: the pause ends after 150 s; the back-off, a boot and the next attempt follow', async () => {
    const { device, until, phases } = await unplugged();
    device.modem.reconnect();
    // Windows of 5, 5 and 50 min, then the pause of an hour.
    await until(minutes(65));
    expect(device.modem).toMatchObject({ state: 'retry_delay', attempt: 3 });
    report(device);
    const seen = await phases(minutes(65) + seconds(170));
    expect(path(seen)).toEqual(['retry_delay', 'error', 'attach']);
    expect(lengths(seen, 'retry_delay')).toEqual([150]);
    expect(device.modem).toMatchObject({ attempt: 4, wait: { timeout: minutes(5) } });
  });

  it('error: no effect; the back-off is not shortened', async () => {
    const { device, phases, until } = await unplugged();
    device.modem.reconnect();
    // The sixteenth error has a back-off of 160 s, longer than the 150 s until −14.
    for (let i = 0; i < 16; i++) {
      await until(seconds(300 * i + 1));
      device.controls.modem('error');
    }
    report(device);
    const seen = await phases(seconds(4501 + 200));
    expect(lengths(seen, 'error')).toEqual([160]);
  });

  it('reset_loop: the modem is woken for 5 s and boots when the 32 min are over', async () => {
    const { device, phases, zero } = await measured();
    zero();
    device.controls.modem('reset-loop');
    report(device);
    const seen = await phases(minutes(33));
    expect(path(seen)).toEqual(['reset_loop', 'error', 'attach', 'sleep']);
    expect(lengths(seen, 'reset_loop')).toEqual([155]);
    expect(lengths(seen, 'error')).toEqual([32 * 60 + 5 - 155]);
  });

  it('sleep: no effect', async () => {
    const { device, zero, phases } = await measured();
    zero();
    device.modem.stuck();
    expect((await phases(seconds(30))).map(({ state }) => state)).toEqual(['sleep']);
  });

  it('the back-off grows by 10 s with every error up to 600 s, until a socket opens', async () => {
    const { device, until, phases } = await unplugged();
    // The poll fails with −14 after 90 s. It is retried 5 min after each failure, and fails again.
    device.shell('cloud poll');
    const off = lengths(await phases(hours(24)), 'error');
    expect(off.slice(0, 61)).toEqual([...Array.from({ length: 60 }, (_, i) => (i + 1) * 10), 600]);
    device.radio(true);
    await until(hours(25));
    device.controls.modem('error');
    expect(lengths(await phases(hours(25) + seconds(20)), 'error')).toEqual([10]);
  });
});

describe('a network that is slow to attach to and has no power saving mode', () => {
  it.each([
    ['clime, reports every 30 min, attach 160 s', 'clime', ['app config interval-report 1800'], 160],
    ['control, polls every 30 min, attach 100 s', 'control', ['app config interval-poll 1800'], 100],
  ] as const)(
    '%s: nothing is delivered, although the modem attaches in between',
    async (_, profile, config, attach) => {
      const takes = seconds(attach);
      const bench = await measured({ profile, config, modem: { attach: [takes, takes] } });
      const { device, until, zero, times, now } = bench;
      device.modem.setPowerSaving(false);
      device.modem.reconnect();
      // The device sets its session up; then the modem is in flight mode.
      await until(now() + minutes(25));
      zero();
      const { attaches } = device.modem.counters;
      await until(hours(6));
      expect(device.modem.counters.attaches).toBeGreaterThan(attaches + 10);
      expect([...times('uplink.acked'), ...times('downlink.received')]).toEqual([]);
    },
  );
});
