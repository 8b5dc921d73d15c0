/** Events of inputs, and alarms of the hygrometer. */
import { describe, expect, it } from 'vitest';
import { days, seconds } from '../../../src/kernel/time.js';
import type { Profile } from '../../../src/profile/profile.js';
import { BOOT, profiles, rig, the } from './fixtures.js';

describe('inputs', () => {
  const REPORTING = { 'trigger-report-active': true, 'trigger-report-inactive': false };
  const watching = (settings: Record<string, boolean> = {}) =>
    rig({ profile: 'control', settings: { 'channel-mode-1': 'trigger', ...settings } });

  it('record an event for each change, with the second of the change', () => {
    const device = watching();
    const { measurements, environment } = device;
    const signal = the(environment.signals(device.sensor('trigger').sensor, 0)[0]);
    const list = the(device.sensor('trigger').lists[0]);
    device.until(days(1));
    const expected: (readonly [number, number])[] = [];
    for (let at = environment.nextChange(signal, BOOT); at <= BOOT + days(1); at = environment.nextChange(signal, at)) {
      expected.push([Math.floor(at / 1000), environment.value(signal, at)]);
    }
    expect(expected.length).toBeGreaterThan(20);
    const { memory } = measurements;
    const seen = Array.from({ length: memory.eventCount(list) }, (_, i) => [
      memory.eventTime(list, i),
      memory.eventType(list, i),
    ]);
    expect(seen).toEqual(expected);
  });

  it('cause a report only if their parameter is true', () => {
    const device = watching(REPORTING);
    device.set('trigger.1.state', 1);
    expect(device.measurements.takeReportable()).toBe(true);
    expect(device.measurements.takeReportable()).toBe(false);
    device.set('trigger.1.state', 0);
    expect(device.measurements.takeReportable()).toBe(false);
    const list = the(device.sensor('trigger').lists[0]);
    expect(device.measurements.memory.eventCount(list)).toBe(2);
  });

  it('that are on at boot cause no event', () => {
    const device = rig();
    const list = the(device.sensor('backup').lists[0]);
    expect(device.measurements.memory.isOn(list)).toBe(true);
    expect(device.measurements.memory.eventCount(list)).toBe(0);
  });

  it('keep their state while they do not answer', () => {
    const device = rig();
    device.set('backup.line_voltage', null);
    expect(device.measurements.takeReportable()).toBe(false);
  });

  it('record a power cut, with the voltage at that time', () => {
    const device = rig();
    device.until(seconds(90));
    device.set('backup.line_voltage', 0.05);
    expect(device.measurements.takeReportable()).toBe(true);
    expect(device.measurements.memory.last(device.sensor('backup'), 0)).toBeCloseTo(0.05);
    device.until(seconds(100));
    device.set('backup.line_voltage', undefined);
    expect(device.measurements.memory.last(device.sensor('backup'), 0)).toBeGreaterThan(20);
  });

  it.each([
    ['clime', 'backup.line_voltage', 'backup', 32],
    ['control', 'backup.line_voltage', 'backup', 64],
    ['control', 'trigger.1.state', 'trigger', 128],
  ] as const)(
    'of %s: events of %s are recorded until the list is full, and not reported after that',
    (profile, name, sensor, most) => {
      const settings =
        profile === 'control' ? { 'channel-mode-1': 'trigger', ...REPORTING, 'trigger-report-inactive': true } : {};
      const device = rig({ profile, settings });
      const { memory } = device.measurements;
      const start = memory.isOn(the(device.sensor(sensor).lists[0]));
      for (let i = 0; i < most; i++) {
        device.set(name, (i % 2 === 0) === start ? 0 : 24);
        expect(device.measurements.takeReportable()).toBe(true);
      }
      device.set(name, start ? 0 : 24);
      expect(device.measurements.takeReportable()).toBe(false);
      expect(memory.eventCount(the(device.sensor(sensor).lists[0]))).toBe(most);
      device.measurements.clear(0);
      expect(memory.eventCount(the(device.sensor(sensor).lists[0]))).toBe(0);
    },
  );
});

describe('alarms of the hygrometer', () => {
  const alarmed = (settings: Record<string, number | boolean> = {}, profile?: Profile) =>
    rig({
      ...(profile && { profile }),
      settings: {
        'hygro-t-alarm-hi-report': true,
        'hygro-t-alarm-hi-thr': 25,
        'hygro-t-alarm-hi-hst': 2,
        'hygro-t-alarm-lo-report': true,
        'hygro-t-alarm-lo-thr': 5,
        'hygro-t-alarm-lo-hst': 2,
        ...settings,
      },
    });
  /** Feeds one sample a minute; returns for each recorded event the index of its sample, its type and its value. */
  const events = (settings: Record<string, number | boolean>, samples: readonly number[], profile?: Profile) => {
    const device = alarmed(settings, profile);
    device.feed('hygrometer.temperature', samples);
    const { memory } = device.measurements;
    const list = the(device.sensor('hygrometer').lists[0]);
    return Array.from({ length: memory.eventCount(list) }, (_, i) => [
      (memory.eventTime(list, i) - BOOT / 1000) / 60 - 1,
      memory.eventType(list, i),
      memory.eventValue(list, i),
    ]);
  };

  it('switch on above threshold + hysteresis / 2 and off below threshold - hysteresis / 2', () => {
    expect(events({}, [25.5, 26, 26.5, 24.5, 24, 23.5, 26])).toEqual([
      [2, 0, 26.5],
      [5, 1, 23.5],
    ]);
  });

  it('work the other way round for low temperatures', () => {
    expect(events({}, [4.5, 4, 3.5, 5.5, 6, 6.5])).toEqual([
      [2, 2, 3.5],
      [5, 3, 6.5],
    ]);
  });

  it.each([
    [
      'high',
      [
        [1, 0, 30],
        [2, 1, 3],
      ],
    ],
    [
      'low',
      [
        [0, 2, 3],
        [1, 3, 30],
        [2, 2, 3],
      ],
    ],
  ] as const)('may be only %s', (kept, expected) => {
    const clime = the(profiles.get('clime'));
    const eventLists = clime.eventLists.map((list) =>
      list.kind === 'alarm' ? { ...list, high: undefined, low: undefined, [kept]: list[kept] } : list,
    );
    expect(events({}, [3, 30, 3], { ...clime, eventLists })).toEqual(expected);
  });

  it('are neither recorded nor reported when they are switched off', () => {
    expect(events({ 'hygro-t-alarm-hi-report': false }, [20, 30, 20, 30])).toEqual([]);
    const device = alarmed({ 'hygro-t-alarm-hi-report': false });
    device.feed('hygrometer.temperature', [30]);
    expect(device.measurements.takeReportable()).toBe(false);
  });

  it('do not change while the sensor does not answer', () => {
    const device = alarmed();
    device.feed('hygrometer.temperature', [30, null, 30]);
    const list = the(device.sensor('hygrometer').lists[0]);
    expect(device.measurements.memory.eventCount(list)).toBe(1);
  });

  it('cause a report', () => {
    const device = alarmed();
    device.feed('hygrometer.temperature', [20]);
    expect(device.measurements.takeReportable()).toBe(false);
    device.feed('hygrometer.temperature', [30]);
    expect(device.measurements.takeReportable()).toBe(true);
  });

  it('are recorded until their list has 32 events', () => {
    const hot = Array.from({ length: 60 }, (_, i) => (i % 2 === 0 ? 30 : 20));
    expect(events({ 'interval-aggreg': 600 }, hot)).toHaveLength(32);
  });
});
