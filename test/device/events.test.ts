/** Events: when a device reports them, how many it reports, and which it does not report (behaviour B-25 to B-29). */
import { describe, expect, it } from 'vitest';
import { hours, type Millis, minutes, seconds } from '../../src/kernel/time.js';
import { packagedProfiles } from '../../src/profile/library.js';
import type { ParameterRef } from '../../src/profile/profile.js';
import { liveDevice } from '../support/live-device.js';

/** A device that reports twice a day by itself, five minutes after its start. */
async function quietDevice(...config: readonly string[]) {
  const live = await liveDevice({ config: ['app config interval-report 43200', ...config] });
  await live.run(minutes(5));
  let on = true;
  const before = live.reportTimes().length;
  return {
    ...live,
    began: live.clock.now,
    /** Times of the reports after the first five minutes, in seconds since `began`. */
    since: (began: number) =>
      live
        .reportTimes()
        .slice(before)
        .map((at) => (at - began) / 1000),
    /** Cuts and restores the line power in turn, `times` times altogether. */
    async toggle(times: number, every: Millis) {
      for (let i = 0; i < times; i++) {
        on = !on;
        live.device.controls.line(on);
        await live.run(every);
      }
    },
  };
}

describe('an event report', () => {
  it('comes after its delay and includes later events, which do not extend the delay', async () => {
    const { began, since, toggle, run, reports } = await quietDevice('app config event-report-delay 60');
    await toggle(3, seconds(25));
    await run(minutes(5));
    expect(since(began)).toEqual([60]);
    const last = (await reports()).at(-1);
    expect(last?.backup).toMatchObject({ events: [{}, {}, {}] });
  });

  it.each([
    ['clime', 1],
    ['push', 1],
    ['control', 5],
  ])('of %s has a default delay of %d s and a default rate of 30 an hour', (name, delay) => {
    const profile = packagedProfiles().get(name);
    const defaultOf = (ref: ParameterRef | undefined) =>
      profile?.modules
        .find((module) => module.name === ref?.module)
        ?.parameters.find((parameter) => parameter.name === ref?.name)?.default;
    expect(defaultOf(profile?.timing.eventDelay)).toBe(delay);
    expect(defaultOf(profile?.timing.eventRate)).toBe(30);
  });

  it('does not come for an event during the start-up, which the first regular report includes', async () => {
    const { device, of, run, reports } = await liveDevice({ config: ['app config interval-report 43200'] });
    await run(200);
    device.controls.line(false);
    await run(minutes(5));
    const ready = of('device.ready')[0]?.at ?? 0;
    expect(of('uplink.made').flatMap(({ at, type }) => (type === 'data' ? [at - ready] : []))).toEqual([10_000]);
    expect((await reports())[0]?.backup).toMatchObject({ events: [{ type: 'disconnected' }] });
  });

  it('has no jitter, and restarts the report timer', async () => {
    const { clock, began, device, run, since } = await quietDevice('app config interval-report 1800');
    await run(minutes(15));
    device.controls.line(false);
    const at = (clock.now - began) / 1000;
    await run(minutes(40));
    const [event, regular] = since(began);
    expect(event).toBe(at + 1);
    // At least 80 % of 1800 s, counted from the event report.
    expect((regular ?? 0) - at - 1).toBeGreaterThanOrEqual(1440);
  });

  it('is sent once more per hour than the configured rate; then none is sent until the hour is over', async () => {
    const { began, since, toggle, run } = await quietDevice('app config event-report-rate 3');
    await toggle(12, minutes(4));
    expect(since(began)).toEqual([1, 241, 481, 721]);
    await run(began + hours(1) - (began + minutes(48)) + seconds(10));
    await toggle(1, minutes(1));
    expect(since(began)).toHaveLength(5);
  });

  it('is counted within an hour that begins with the first event', async () => {
    const { began, since, toggle, run } = await quietDevice('app config event-report-rate 1');
    await run(minutes(30));
    await toggle(5, minutes(10));
    // The events at 30 and 40 min are reported; the hour is over at 90 min.
    expect(since(began)).toEqual([1801, 2401]);
    await toggle(2, minutes(10));
    expect(since(began)).toEqual([1801, 2401, 5401]);
  });

  it('that is suppressed leaves its events to the regular report', async () => {
    const { toggle, run, reports } = await quietDevice(
      'app config event-report-rate 1',
      'app config interval-report 3600',
    );
    await toggle(6, minutes(2));
    await run(minutes(75));
    const last = (await reports()).at(-1);
    expect(last?.backup).toMatchObject({ events: [{}, {}, {}, {}] });
  });

  it('is not sent for an event type that is switched off; the event is still recorded', async () => {
    const { began, since, device, run, reports } = await quietDevice(
      'app config backup-report-disconnected false',
      'app config interval-report 3600',
    );
    device.controls.line(false);
    await run(minutes(30));
    expect(since(began)).toEqual([]);
    await run(minutes(60));
    expect((await reports()).at(-1)?.backup).toMatchObject({ events: [{ type: 'disconnected' }] });
  });

  it('contains 32 of 40 events, because the list of events is full', async () => {
    const { toggle, run, reports } = await quietDevice(
      'app config event-report-delay 3600',
      'app config event-report-rate 3600',
    );
    await toggle(40, seconds(10));
    await run(hours(1));
    const events: unknown[] = Array(32).fill({
      type: expect.stringMatching(/connected/),
      timestamp: expect.any(Number),
    });
    expect((await reports()).at(-1)?.backup).toMatchObject({ events });
  });
});

describe('lists of events', () => {
  it.each([
    ['clime', 'backup', 32],
    ['clime', 'hygrometer', 32],
    ['control', 'backup', 64],
    ['control', 'trigger', 128],
    ['push', 'backup', 32],
    ['push', 'button', 8],
  ])('of %s: the list %s holds %d events', (profile, list, capacity) => {
    const known = packagedProfiles()
      .get(profile)
      ?.eventLists.find(({ name }) => name === list);
    expect(known).toMatchObject({ capacity });
  });
});
