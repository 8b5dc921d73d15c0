/** The content of a report, and what happens to a report that is not delivered (behaviour B-17 to B-20). */
import { describe, expect, it } from 'vitest';
import { hours, minutes } from '../../../src/kernel/time.js';
import type { Profile, Timing } from '../../../src/profile/profile.js';
import { liveDevice, type ReportBody } from '../../support/live-device.js';

/** Times of the windows of the hygrometer. */
function windows(body: ReportBody | undefined): readonly number[] {
  if (body === undefined) return [];
  // The cast is safe because each test knows its device type.
  const { temperature } = body.hygrometer as { temperature: { measurements: { timestamp: number }[] } };
  return temperature.measurements.map(({ timestamp }) => timestamp);
}

const withTiming = (timing: Partial<Timing>) => (profile: Profile) => ({
  ...profile,
  timing: { ...profile.timing, ...timing },
});

describe('a report', () => {
  it('contains the windows since the last report: with the default intervals mostly 5 to 7, and never fewer than 4', async () => {
    const { run, reports } = await liveDevice();
    await run(hours(24));
    const counts = (await reports()).slice(2).map((body) => windows(body).length);
    expect(counts.length).toBeGreaterThan(40);
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(4);
    expect(Math.max(...counts)).toBe(7);
    expect(counts.filter((count) => count >= 5).length).toBeGreaterThan(0.9 * counts.length);
  });

  it('gets its number and its time when it is encoded, even if it is delivered much later', async () => {
    const { network, reportTimes, run, reports } = await liveDevice({ config: ['app config interval-report 600'] });
    await run(minutes(15));
    network.up = false;
    await run(hours(1));
    network.up = true;
    await run(hours(1));
    const byNumber = [...(await reports())].sort((a, b) => a.message.sequence - b.message.sequence);
    expect(byNumber.map(({ message }) => message.sequence)).toEqual(reportTimes().map((_, i) => i));
    const start = byNumber[0]?.message.timestamp ?? 0;
    const began = reportTimes()[0] ?? 0;
    for (const [i, { message }] of byNumber.entries()) {
      expect(Math.abs(message.timestamp - start - ((reportTimes()[i] ?? 0) - began) / 1000)).toBeLessThanOrEqual(1);
    }
  });

  it('is not sent in mode "none", but its windows are cleared', async () => {
    const { device, run } = await liveDevice({ config: ['app config mode none'] });
    await run(hours(12));
    device.firmware?.application.catchUp();
    const { memory } = device.firmware?.measurements ?? {};
    const hygrometer = memory?.plan.sensors.find(({ spec }) => spec.name === 'hygrometer');
    expect(hygrometer && memory?.windowCount(hygrometer)).toBeLessThanOrEqual(7);
  });
});

describe('a report that cannot be delivered', () => {
  it('of Clime is given up after 120 s; its windows are in the spooled body and in the next report', async () => {
    const { network, of, reportTimes, run, reports } = await liveDevice();
    await run(minutes(10));
    network.up = false;
    while (reportTimes().length < 2) await run(minutes(1));
    await run(minutes(5));
    network.up = true;
    await run(minutes(40));
    const byNumber = [...(await reports())].sort((a, b) => a.message.sequence - b.message.sequence);
    const [spooled, next] = [windows(byNumber[1]), windows(byNumber[2])];
    expect(spooled.length).toBeGreaterThan(3);
    expect(next.slice(0, spooled.length)).toEqual(spooled);
    expect(of('uplink.dropped')).toEqual([]);
  });

  it('of Meteo is repeated without limit, and no measurement runs meanwhile', async () => {
    const { network, of, run, reports } = await liveDevice({ profile: 'meteo' });
    await run(minutes(10));
    network.up = false;
    await run(hours(3));
    network.up = true;
    await run(minutes(50));
    const bodies = await reports();
    expect(of('uplink.dropped')).toEqual([]);
    // Three hours would have been 36 windows.
    for (const body of bodies) expect(windows(body).length).toBeLessThanOrEqual(9);
    const times = bodies.flatMap(windows);
    const gaps = times.slice(1).map((at, i) => at - (times[i] ?? 0));
    expect(Math.max(...gaps)).toBeGreaterThan(7200);
  });

  it('arrives once from the spool, and its windows with it, if they are dropped after a failed send', async () => {
    const { network, run, reports } = await liveDevice({ change: withTiming({ onSendFailure: 'drop' }) });
    await run(minutes(10));
    network.up = false;
    await run(hours(2));
    network.up = true;
    await run(hours(1));
    const times = (await reports()).flatMap(windows);
    expect(times.length).toBeGreaterThan(20);
    expect(new Set(times).size).toBe(times.length);
  });

  it('does not fail without a send timeout, so the spool has one report, which survives a restart', async () => {
    const { device, network, of, run, reports } = await liveDevice({ change: withTiming({ sendTimeout: undefined }) });
    await run(minutes(10));
    network.up = false;
    await run(hours(3));
    expect([device.spool.count, of('uplink.dropped')]).toEqual([1, []]);
    device.powerOff();
    device.powerOn();
    network.up = true;
    await run(minutes(30));
    expect([device.spool.count, of('uplink.dropped')]).toEqual([0, []]);
    expect((await reports()).map(({ message }) => message.sequence)).toContain(1);
  });

  it('is lost if the spool is switched off', async () => {
    const { network, of, reportTimes, run } = await liveDevice({ config: ['cloud config spool-size 0'] });
    await run(minutes(10));
    network.up = false;
    while (reportTimes().length < 2) await run(minutes(1));
    await run(minutes(5));
    expect(of('uplink.dropped')).toMatchObject([{ type: 'data', why: 'not sent in time' }]);
  });
});
