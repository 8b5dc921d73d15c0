/** Measurements of Motion, Scale, Current, Push and Meteo that Clime and Control do not have. */
import { describe, expect, it } from 'vitest';
import { hours, minutes, seconds } from '../../../src/kernel/time.js';
import { decodeCbor } from '../../../src/protocol/cbor.js';
import { BOOT, rig, steadily, the } from './fixtures.js';

const KEYS = { motionSamples: 33, weight: 39, motion: 27 };

/** The elements of the list at `path` in a body, as they are on the wire. */
function onWire(body: Uint8Array, ...path: readonly number[]): readonly unknown[] {
  let value: unknown = decodeCbor(body);
  for (const key of path) value = value instanceof Map ? value.get(key) : undefined;
  if (!Array.isArray(value)) throw new Error('no list there');
  return value;
}

describe('the log of motion', () => {
  const sum = (rows: readonly Record<string, number>[], name: string) =>
    rows.reduce((total, row) => total + (row[name] ?? 0), 0);

  it('has in each sample the increments since the previous sample, which add up to the totals', () => {
    const device = rig({ profile: steadily('motion') });
    device.until(minutes(25));
    const { motion } = device.report();
    // The first sample is taken at the start.
    expect(motion.samples).toHaveLength(26);
    for (const name of ['detect_left', 'detect_right', 'motion_left', 'motion_right']) {
      expect(motion.totalizer[name]).toBeGreaterThan(0);
      expect(sum(motion.samples, name)).toBe(motion.totalizer[name]);
    }
  });

  it('keeps 30 samples; later ones are lost, but the totals include them', () => {
    const device = rig({ profile: steadily('motion') });
    device.until(minutes(36));
    const first = device.report().motion;
    expect(first.samples).toHaveLength(30);
    expect(sum(first.samples, 'detect_left')).toBeLessThan(first.totalizer.detect_left);
    device.until(minutes(37));
    const second = device.report().motion;
    expect(second.samples).toHaveLength(1);
    expect(second.totalizer.detect_left - first.totalizer.detect_left).toBe(sum(second.samples, 'detect_left'));
  });

  it('continues a total from its overridden value when the override ends', () => {
    const device = rig({ profile: 'motion' });
    device.set('motion.detect_left', 10);
    device.set('motion.detect_left', 14);
    device.set('motion.detect_left', undefined);
    device.until(minutes(1));
    const [row] = device.report().motion.samples;
    expect(row.detect_left).toBeGreaterThanOrEqual(4);
    expect(row.detect_left).toBeLessThan(14);
  });

  it('is empty on the wire without a sample', () => {
    expect(onWire(rig({ profile: 'motion' }).encode(), KEYS.motion, KEYS.motionSamples)).toEqual([]);
  });
});

describe('the log of scale', () => {
  it('counts its times from the last report, not from its first sample', () => {
    const device = rig({ profile: 'scale' });
    device.until(minutes(2) + seconds(30));
    device.report();
    device.until(minutes(4) + seconds(30));
    const [base, offset, , , , , next] = onWire(device.encode(), KEYS.weight);
    expect([base, offset, next]).toEqual([BOOT / 1000 + 150, 30, 90]);
  });

  it('has null for inputs that are switched off and for those that do not answer', () => {
    const device = rig({ profile: 'scale', settings: { 'channel-a2-active': false } });
    device.set('weight.raw_result_b1', null);
    device.set('weight.raw_result_a1', -4321);
    device.until(minutes(1));
    const [row] = device.report().weight;
    expect(row).toMatchObject({ raw_result_a1: -4321, raw_result_a2: null, raw_result_b1: null });
    expect(row.raw_result_b2).not.toBeNull();
  });

  it('is not sampled by the shell command "sample"', () => {
    const { measurements } = rig({ profile: 'scale' });
    const asked = measurements.tasks.filter(({ kind, onRequest }) => kind === 'sample' && onRequest);
    expect(asked.map(({ what }) => what)).toEqual(['sample thermometer, accelerometer']);
  });
});

describe('a channel of current', () => {
  const settings = {
    'channel-active-2': true,
    'channel-calib-x0-2': 10,
    'channel-calib-y0-2': 1,
    'channel-calib-x1-2': 110,
    'channel-calib-y1-2': 51,
  };
  const measured = (more: Record<string, string>) => {
    const device = rig({ profile: 'current', settings: { ...settings, ...more } });
    device.set('analog_channel.2.raw_mean', 30);
    device.set('analog_channel.2.raw_rms', 50);
    device.until(minutes(5));
    return device.report().analog_channels;
  };

  it('is in the body if it is active', () => {
    expect(measured({}).map(({ channel }: { channel: number }) => channel)).toEqual([2]);
    expect(rig({ profile: 'current' }).report().analog_channels).toEqual([]);
  });

  it('is calibrated along the line through two points, from the raw value that the mode names', () => {
    const [rms] = measured({});
    expect(rms.calibration).toMatchObject({ mode: 'rms', measurements: [{ min: 21, max: 21, avg: 21, mdn: 21 }] });
    const [mean] = measured({ 'channel-calib-mode-2': 'mean' });
    expect(mean.calibration).toMatchObject({ mode: 'avg', measurements: [{ min: 11, max: 11, avg: 11, mdn: 11 }] });
    expect(mean.raw_rms.measurements).toMatchObject([{ avg: 50 }]);
  });
});

describe('a button of push', () => {
  const QUIET = 0;
  /** A device whose buttons only the test presses. */
  const device = () => {
    const pushed = rig({ profile: 'push' });
    for (let n = 1; n <= 5; n++) {
      pushed.set(`button.${n}.clicks`, QUIET);
      pushed.set(`button.${n}.holds`, QUIET);
    }
    pushed.measurements.takeReportable();
    return pushed;
  };
  const press = (pushed: ReturnType<typeof device>, clicks: number, holds = 0) => {
    pushed.set('button.2.clicks', clicks);
    pushed.set('button.2.holds', holds);
  };

  it('counts and reports every press, and has no list when there was none', () => {
    const pushed = device();
    press(pushed, 2, 1);
    expect(pushed.measurements.takeReportable()).toBe(true);
    const { buttons } = pushed.report();
    expect(buttons[0]).toEqual({ button: 'button_x', count_click: 0, count_hold: 0 });
    expect(buttons[1]).toMatchObject({ button: 'button_1', count_click: 2, count_hold: 1 });
    expect(buttons[1].events.map(({ type }: { type: string }) => type)).toEqual(['clicked', 'clicked', 'held']);
    expect(pushed.report().buttons[1]).toEqual({ button: 'button_1', count_click: 2, count_hold: 1 });
  });

  it('with eight events does not count presses until a report has cleared the list', () => {
    const pushed = device();
    press(pushed, 11);
    const [, full] = pushed.report().buttons;
    expect(full.events).toHaveLength(8);
    expect(full.count_click).toBe(8);
    press(pushed, 12);
    expect(pushed.report().buttons[1]).toMatchObject({ count_click: 9, events: [{ type: 'clicked' }] });
  });

  it('has no two events with the same time after a day without overrides', () => {
    const pushed = rig({ profile: 'push' });
    pushed.until(hours(24));
    const { buttons } = pushed.report();
    const pressed = buttons.filter((button: { count_click: number }) => button.count_click > 0);
    expect(pressed.length).toBeGreaterThan(3);
    const times = pressed.flatMap(({ events }: { events: { timestamp: number }[] }) =>
      events.map(({ timestamp }) => timestamp),
    );
    expect(new Set(times).size).toBe(times.length);
  });

  it('is reported beside the supply voltages, which are in millivolts', () => {
    const pushed = device();
    pushed.set('backup.line_voltage', 23.5);
    pushed.until(minutes(1));
    expect(pushed.report().backup).toMatchObject({ line_voltage: 23500, state: 'connected' });
  });
});

describe('the weather of meteo', () => {
  it('has the rain of each window separately', () => {
    const device = rig({ profile: 'meteo' });
    device.set('rain_gauge.tips', 100);
    device.until(minutes(5));
    device.report();
    device.set('rain_gauge.tips', 103);
    device.until(minutes(10));
    device.until(minutes(15));
    expect(device.report().weather_station.rainfall.measurements).toMatchObject([{ value: 0.83 }, { value: 0 }]);
  });

  it('has the wind direction as the vector mean of the window', () => {
    const device = rig({ profile: 'meteo' });
    device.feed('vane.direction', [337.5, 22.5, 337.5, 22.5, 0]);
    expect(the(device.report().weather_station.wind_direction.measurements)).toMatchObject([{ value: 0 }]);
  });

  it('shows an alarm without a value, because the decoder of Meteo has no column for it', () => {
    const settings = { hygro_t_alarm_hi_report: true, hygro_t_alarm_hi_thr: 40 };
    const device = rig({ profile: 'meteo', settings });
    device.feed('hygrometer.temperature', [30, 50]);
    const { events } = device.report().hygrometer.temperature;
    expect(events).toEqual([{ timestamp: BOOT / 1000 + 120, type: 'alarm_hi_activated' }]);
  });
});
