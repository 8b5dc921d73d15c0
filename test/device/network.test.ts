/**
 * A device and its network: power saving mode, weak signals, and a modem that fails, as the cloud sees them (timing T-45 to
 * T-57).
 */
import { describe, expect, it } from 'vitest';
import { hours, minutes, seconds } from '../../src/kernel/time.js';
import { liveDevice } from '../support/live-device.js';

describe('in a network without power saving mode', () => {
  it('every report begins with an attach, and arrives', async () => {
    const live = await liveDevice({ config: ['app config interval-report 600'] });
    const { device, of, run, reportTimes, reports } = live;
    device.modem.setPowerSaving(false);
    await run(hours(2));
    expect((await reports()).length).toBe(reportTimes().length);
    // One more attach for the session.
    expect(device.modem.counters.attaches).toBe(reportTimes().length + 1);
    const sent = of('uplink.sent').flatMap(({ type, at }) => (type === 'data' ? [at] : []));
    // The first report comes 10 s after the session: the modem is in flight mode by then.
    const waits = sent.map((at, i) => at - (reportTimes()[i] ?? 0));
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(seconds(5));
    expect(device.shell('lte state').lines).toContain('attached: no');
  });

  it('the session with its uploads and the first report need at most two attaches', async () => {
    const { device, run } = await liveDevice({ config: ['app config interval-report 86400'] });
    device.modem.setPowerSaving(false);
    await run(seconds(60));
    expect(device.modem.counters.attaches).toBeLessThanOrEqual(2);
  });
});

describe('with a weak signal', () => {
  it('reports need more time and more datagrams, and arrive all the same', async () => {
    const { device, of, run, reports } = await liveDevice({
      profile: 'control',
      config: ['app config interval-report 600'],
    });
    await run(minutes(5));
    device.modem.setSignal({ rsrp: -124 });
    await run(hours(3));
    device.modem.setSignal(undefined);
    await run(minutes(30));
    expect(of('device.repeat').length).toBeGreaterThan(2);
    expect(of('net.fault').every(({ fault }) => fault === 'weak-signal')).toBe(true);
    const sequences = (await reports()).map(({ message }) => message.sequence);
    expect(sequences).toEqual(sequences.map((_, i) => i));
  });

  it('a body has the signal of the previous exchange, not of the exchange that sends it', async () => {
    const { device, run, reports } = await liveDevice({ config: ['app config interval-report 86400'] });
    await run(minutes(5));
    device.modem.setSignal({ rsrp: -118 });
    const before = device.modem.evaluation();
    device.shell('send');
    await run(minutes(1));
    device.shell('send');
    await run(minutes(5));
    const [first, second] = (await reports()).slice(-2);
    expect(first?.network).toEqual({ parameter: before });
    // ECL 1 begins at -112 dBm.
    expect(second?.network).toMatchObject({ parameter: { ecl: 1 } });
  });
});

describe('a poll without an answer', () => {
  it('times out after a minute, and is retried five minutes later', async () => {
    const { clock, device, network, of, run } = await liveDevice({ config: ['app config interval-report 86400'] });
    await run(minutes(5));
    network.up = false;
    const asked = clock.now;
    device.shell('cloud poll');
    await run(minutes(2));
    const [failed] = of('poll.failed');
    expect((failed?.at ?? 0) - asked).toBeGreaterThanOrEqual(seconds(60));
    expect((failed?.at ?? 0) - asked).toBeLessThanOrEqual(seconds(75));
    // A request of the shell does not start the retry earlier.
    network.up = true;
    device.shell('cloud poll');
    await run(minutes(5));
    const wakes = of('device.wake').filter(({ why }) => why === 'poll');
    expect(wakes.map(({ at }) => at)).toEqual([asked, (failed?.at ?? 0) + minutes(5)]);
    expect(device.firmware?.cloud.counters.downlinkErrors).toBe(1);
  });

  it('is followed at once by a poll that was requested in the meantime, whose failure schedules one retry', async () => {
    const { device, network, of, run } = await liveDevice({ config: ['app config interval-report 86400'] });
    await run(minutes(5));
    network.up = false;
    device.shell('cloud poll');
    await run(seconds(20));
    device.shell('cloud poll');
    await run(hours(1));
    const failed = of('poll.failed').map(({ at }) => at);
    expect(failed.length).toBeGreaterThan(7);
    const gaps = failed.slice(1).map((at, i) => at - (failed[i] ?? 0));
    expect(gaps[0]).toBeLessThan(seconds(75));
    expect(Math.min(...gaps.slice(1))).toBeGreaterThanOrEqual(minutes(5));
  });
});

describe('a modem that fails while a report is on its way', () => {
  it.each([
    ['lost-socket', 0],
    ['lost-registration', 1],
    ['error', 1],
  ] as const)('%s: the same report is sent after the recovery, with %d more attaches', async (fault, attaches) => {
    const { device, network, of, run, reports } = await liveDevice({
      profile: 'control',
      config: ['app config interval-report 86400'],
    });
    await run(minutes(5));
    const [stored, attached] = [(await reports()).length, device.modem.counters.attaches];
    network.up = false;
    device.shell('send');
    while (device.modem.state !== 'receive') await run(100);
    device.controls.modem(fault);
    network.up = true;
    await run(minutes(3));
    expect((await reports()).length).toBe(stored + 1);
    expect(device.modem.counters.attaches).toBe(attached + attaches);
    // A session lasts until the next reboot, even if the connection is lost.
    expect(of('device.boot')).toHaveLength(1);
    expect(of('uplink.made').filter(({ type }) => type === 'session')).toHaveLength(1);
  });

  it('has its state shown by "lte state"', async () => {
    const { device, run } = await liveDevice();
    const fsm = () => device.shell('lte state').lines.find((line) => line.startsWith('fsm-state'));
    await run(minutes(5));
    device.controls.modem('reset-loop');
    expect(fsm()).toBe('fsm-state: reset_loop');
    await run(minutes(33));
    expect(fsm()).toBe('fsm-state: sleep');
  });

  it('is in the states wakeup, send, receive and error while the cloud does not answer', async () => {
    const { device, network, run } = await liveDevice({ profile: 'control' });
    const fsm = () => device.shell('lte state').lines.find((line) => line.startsWith('fsm-state'));
    await run(minutes(5));
    network.up = false;
    device.shell('send');
    const seen = new Set<string | undefined>();
    for (let i = 0; i < 300; i++) {
      seen.add(fsm());
      await run(100);
    }
    expect([...seen]).toEqual(['wakeup', 'send', 'receive', 'error'].map((state) => `fsm-state: ${state}`));
  });
});
