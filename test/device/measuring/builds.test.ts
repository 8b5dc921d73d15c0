/** Measurements of special builds: totals in windows, presses that close windows, values read once a window. */
import { describe, expect, it } from 'vitest';
import { minutes } from '../../../src/kernel/time.js';
import { BOOT, rig } from './fixtures.js';

describe('the air quality module', () => {
  it('reports the total of motions since the boot for each window', () => {
    const device = rig({ profile: 'clime-iaq' });
    device.set('iaq_motion.motions', 0);
    device.until(minutes(3));
    device.set('iaq_motion.motions', 4);
    device.until(minutes(11));
    device.report();
    device.set('iaq_motion.motions', 5);
    device.until(minutes(16));
    const { measurements } = device.report().iaq_sensor.motion_count;
    expect(measurements).toEqual([{ timestamp: BOOT / 1000 + 900, value: 5 }]);
  });

  it('closes a window of presses with each press, and requests a report at once', () => {
    const device = rig({ profile: 'clime-iaq' });
    device.set('iaq_button.presses', 0);
    device.until(minutes(7));
    expect(device.measurements.takeUrgent()).toBe(false);
    device.set('iaq_button.presses', 2);
    expect([device.measurements.takeUrgent(), device.measurements.takeUrgent()]).toEqual([true, false]);
    expect(device.measurements.takeReportable()).toBe(false);
    const { measurements } = device.report().iaq_sensor.press_count;
    expect(measurements.map(({ value }: { value: number }) => value)).toEqual([1, 2]);
  });

  it('counts presses beyond the 32 windows that fit', () => {
    const device = rig({ profile: 'clime-iaq' });
    device.set('iaq_button.presses', 0);
    device.set('iaq_button.presses', 40);
    expect(device.report().iaq_sensor.press_count.measurements).toHaveLength(32);
    device.set('iaq_button.presses', 41);
    expect(device.report().iaq_sensor.press_count.measurements).toMatchObject([{ value: 41 }]);
  });
});

it('the radon probe has one value of each concentration for a window, read at the end of the window', () => {
  const device = rig({ profile: 'clime-radon' });
  device.set('radon_probe.concentration_hourly', 100);
  device.until(minutes(4));
  device.set('radon_probe.concentration_hourly', 300);
  device.until(minutes(6));
  const { concentration_hourly, chamber_humidity } = device.report().radon_probe;
  expect(concentration_hourly.measurements).toEqual([{ timestamp: BOOT / 1000 + 300, value: 300 }]);
  expect(Object.keys(chamber_humidity.measurements[0])).toEqual(['timestamp', 'min', 'max', 'avg', 'mdn']);
});

describe('the sensors on Modbus of Meteo M', () => {
  const sections = (settings: Readonly<Record<string, string>>) => {
    const device = rig({ profile: 'meteo-m', settings });
    device.until(minutes(6));
    return device.report();
  };

  it('are in a report if the configuration names them', () => {
    expect(sections({})).not.toHaveProperty('sensecap');
    expect(sections({})).not.toHaveProperty('cubic_pm');
    expect(sections({ 'pm-type': 'cubic-6303' })).toHaveProperty('cubic_pm.gas_flow');
    expect(sections({ 'meteo-type': 'lambrecht' })).not.toHaveProperty('sensecap');
    const small = sections({ 'meteo-type': 'sensecap-s500' });
    expect(small.sensecap).toHaveProperty('air_temperature');
    expect(small.sensecap).not.toHaveProperty('co2');
    expect(sections({ 'meteo-type': 'sensecap-s1000' }).sensecap).toHaveProperty('co2');
  });

  it('are aggregated twice at the end of an interval: the second window has no samples', () => {
    const { measurements } = sections({ 'pm-type': 'cubic-6303' }).cubic_pm.gas_flow;
    expect(measurements).toHaveLength(2);
    expect(measurements[0].min).toBeCloseTo(1, 0);
    expect(measurements[1]).toMatchObject({ min: null, max: null, avg: null, mdn: null });
  });
});

it('the first window of a pyranometer in a report has the time of the last window', () => {
  const device = rig({ profile: 'meteo-p' });
  device.until(minutes(11));
  const [{ timestamp }] = device.report().pyranometer.irradiance_1.measurements;
  expect(timestamp).toBe(BOOT / 1000 + 600);
});
