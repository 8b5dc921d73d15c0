/** Device clocks that run fast or jump, and the times that the cloud receives from such devices. */
import { describe, expect, it } from 'vitest';
import { days, hours, minutes } from '../../src/kernel/time.js';
import { testDevice } from '../support/device.js';
import { type Body, EVERY, readyDevice } from './ready-device.js';

describe('the clock', () => {
  it('that runs fast is ahead in a report after ten hours, and is right again after the next session', async () => {
    const { clock, device, bodies } = await readyDevice();
    const ahead = () => (device.firmware?.readExactTime() ?? 0) - clock.wall / 1000;
    const before = ahead();
    device.controls.clock(1000);
    expect(ahead()).toBeCloseTo(before, 6);
    await clock.runUntil(clock.now + hours(10));
    // 1000 ppm of 36,000 s are 36 s.
    expect(ahead() - before).toBeCloseTo(36, 1);
    const { message } = (await bodies()).at(-1);
    expect(message.timestamp - clock.wall / 1000).toBeGreaterThan(-1800 - 1 + 34);
    device.reboot('power');
    await clock.runUntil(clock.now + minutes(3));
    expect(Math.abs(ahead())).toBeLessThan(2);
    // The clock continues to drift, because the drift is a property of the crystal, not of the set time.
    const set = ahead();
    await clock.runUntil(clock.now + hours(1));
    expect(ahead() - set).toBeCloseTo(3.6, 2);
  });

  it('keeps its present error when its drift ends', async () => {
    const { clock, device } = await readyDevice();
    const ahead = () => (device.firmware?.readExactTime() ?? 0) - clock.wall / 1000;
    const before = ahead();
    device.controls.clock(-1000);
    await clock.runUntil(clock.now + hours(1));
    device.controls.clock(0);
    await clock.runUntil(clock.now + hours(1));
    expect(ahead() - before).toBeCloseTo(-3.6, 2);
  });
});

describe('a clock that jumps', () => {
  it('is ahead in reports, measurements and events, until a session sets it', async () => {
    const { clock, device, bodies } = await readyDevice({ config: EVERY });
    device.controls.skew(hours(2));
    const jumped = clock.wall / 1000 + 7200;
    device.controls.line(false);
    await clock.runUntil(clock.now + hours(1));
    const all = (await bodies()).slice(1);
    const timestamps = all.flatMap(({ message, backup, hygrometer }) => [
      message.timestamp,
      ...backup.events.map(({ timestamp }: Body) => timestamp),
      ...hygrometer.temperature.measurements.map(({ timestamp }: Body) => timestamp),
    ]);
    expect(all.flatMap(({ backup }) => backup.events)).toHaveLength(1);
    expect(timestamps.length).toBeGreaterThan(10);
    for (const timestamp of timestamps) {
      expect(timestamp).toBeGreaterThan(jumped - 3);
      expect(timestamp).toBeLessThan(jumped + 3600);
    }
    device.reboot('power');
    await clock.runUntil(clock.now + minutes(3));
    const healed = (await bodies()).at(-1).message.timestamp;
    expect(Math.abs(healed - clock.wall / 1000)).toBeLessThan(180);
  });

  it('back continues from the earlier time; samples and reports keep their intervals', async () => {
    const report = async (by: number) => {
      const { clock, device, bodies, of } = await readyDevice({ profile: 'motion', config: EVERY });
      if (by !== 0) device.controls.skew(by);
      await clock.runUntil(clock.now + hours(2));
      const stamps = (await bodies()).slice(1).map(({ message }) => message.timestamp);
      return { stamps, sent: of('uplink.sent').map(({ at }) => at) };
    };
    const [right, behind] = [await report(0), await report(-hours(2))];
    expect(behind.sent).toEqual(right.sent);
    expect(behind.stamps).toEqual(right.stamps.map((stamp) => stamp - 7200));
  });

  it('does not go back beyond the start of its calendar', async () => {
    const { clock, device } = await readyDevice();
    device.controls.skew(-days(36_500));
    expect(device.firmware?.readUnixTime()).toBe(0);
    await clock.runUntil(clock.now + minutes(1));
    expect(device.shell('rtc get').lines[0]).toContain('1970/01/01 00:01:00');
  });

  it('changes the times of calendar events: a daily scan begins at the hour of the new time', async () => {
    const untilHour = async (by: number) => {
      const config = ['app config scan-mode daily', 'app config scan-hour 6', 'app config address add 111111'];
      const { clock, device, of } = await readyDevice({ profile: 'wmbus', config });
      if (by !== 0) device.controls.skew(by);
      await clock.runUntil(hours(9));
      return of('uplink.made').find(({ type }) => type === 'data')?.at ?? 0;
    };
    const [right, ahead] = [await untilHour(0), await untilHour(hours(2))];
    expect(Math.abs(right - ahead - hours(2))).toBeLessThan(minutes(3));
  });

  it('needs power: a device that is off rejects the jump', () => {
    const { device } = testDevice({ network: () => {} });
    expect(() => device.controls.skew(hours(2))).toThrow('the clock does not run');
  });
});
