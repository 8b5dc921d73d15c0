/** The controls of a device, and what the cloud receives after their use: sensors, inputs, buttons, flash, antenna, battery. */
import { describe, expect, it } from 'vitest';
import type { DeviceControls } from '../../src/device/device-controls.js';
import { hours, minutes, seconds } from '../../src/kernel/time.js';
import type { ModelSpec } from '../../src/profile/models.js';
import type { SensorSpec } from '../../src/profile/profile.js';
import { testDevice } from '../support/device.js';
import { type Body, EVERY, readyDevice } from './ready-device.js';

describe('a sensor', () => {
  it('with a ramp shows the ramp in the measurement windows, then holds the last value', async () => {
    const { clock, device, bodies } = await readyDevice({ config: EVERY });
    device.controls.ramp('hygrometer.temperature', { from: 10, to: 40, over: hours(1) });
    await clock.runUntil(hours(3));
    const windows = (await bodies()).slice(1).flatMap((body) => body.hygrometer.temperature.measurements);
    const means = windows.map(({ avg }: Body) => avg);
    // In five minutes, the ramp covers a twelfth of its 30 °C: each window is 2.5 °C above the one before it.
    expect(means[4] - means[3]).toBeCloseTo(2.5, 1);
    expect(windows[5].max - windows[5].min).toBeCloseTo(2, 1);
    expect(means.at(-1)).toBe(40);
  });

  it('begins a ramp without a start value at its present value', async () => {
    const { clock, device } = await readyDevice();
    const read = () => Number(/[-\d.]+/.exec(device.shell('therm read').lines[0] ?? '')?.[0]);
    device.controls.hold('thermometer.temperature', 18);
    device.controls.ramp('thermometer.temperature', { to: 28, over: minutes(10) });
    expect(read()).toBe(18);
    await clock.runUntil(clock.now + minutes(5));
    expect(read()).toBe(23);
    device.controls.free('thermometer.temperature');
    expect(read()).not.toBe(23);
  });

  it('plays a recording back with linear interpolation, and does not answer where the recording has no value', async () => {
    const { clock, device, bodies } = await readyDevice({ config: EVERY });
    const series = { times: [0, minutes(60), minutes(70)], values: [20, 26, Number.NaN] };
    device.controls.replay('hygrometer.temperature', series);
    await clock.runUntil(hours(3));
    const reports = (await bodies()).map((body) => body.hygrometer.temperature.measurements);
    const windows = reports.flat();
    expect(windows[3].avg - windows[2].avg).toBeCloseTo(0.5, 1);
    expect(windows.filter(({ avg }: Body) => avg !== null).length).toBeLessThan(16);
    expect(windows.at(-1)).toMatchObject({ min: null, max: null, avg: null, mdn: null });
  });

  it('that does not answer is null in the report', async () => {
    const { clock, device, bodies } = await readyDevice();
    device.controls.hold('thermometer.temperature', Number.NaN);
    await clock.runUntil(clock.now + minutes(45));
    expect((await bodies()).at(-1).thermometer).toEqual({ temperature: null });
  });
});

describe('line power', () => {
  it('that is cut and restored causes two events, and the report shows the voltage', async () => {
    const { clock, device, bodies } = await readyDevice();
    device.controls.line(false);
    await clock.runUntil(clock.now + minutes(2));
    const cut = (await bodies()).at(-1);
    expect(cut.backup).toMatchObject({ state: 'disconnected', events: [{ type: 'disconnected' }], line_voltage: 0.04 });
    device.controls.line(true);
    await clock.runUntil(clock.now + minutes(2));
    const back = (await bodies()).at(-1);
    expect(back.backup).toMatchObject({ state: 'connected', events: [{ type: 'connected' }] });
    expect(back.backup.line_voltage).toBeGreaterThan(20);
  });

  it('with a ramp causes an event when it falls below the limit, between two samples', async () => {
    const { clock, device, bodies } = await readyDevice();
    const began = clock.wall;
    // 24 V to 0 within 200 s crosses 6 V after 150 s.
    device.controls.ramp('backup.line_voltage', { from: 24, to: 0, over: seconds(200) });
    await clock.runUntil(clock.now + minutes(4));
    const [event] = (await bodies()).at(-1).backup.events;
    expect(event.type).toBe('disconnected');
    expect(Math.abs(event.timestamp - began / 1000 - 150)).toBeLessThanOrEqual(2);
  });

  it('cannot be controlled on a device type without line power', async () => {
    const { device } = await readyDevice({ profile: 'meteo' });
    expect(() => device.controls.line(false)).toThrow('"backup.line_voltage" is not a quantity of meteo');
  });
});

describe('inputs', () => {
  const CHANNELS = ['app config channel-mode-1 trigger', 'app config channel-mode-2 counter'];

  it('count every pulse, at the given rate', async () => {
    const { clock, device, bodies } = await readyDevice({
      profile: 'control',
      config: [...CHANNELS, 'app config interval-report 900'],
      change: (profile) => ({ ...profile, sensors: profile.sensors.map(withoutPulses) }),
    });
    device.controls.pulse('counter.2.pulses', { times: 90, every: seconds(10), stays: 0 });
    await clock.runUntil(clock.now + minutes(10));
    expect(device.shell('channel read 2 1').lines[0]).toContain('counter, value: 61');
    device.controls.pulse('counter.2.pulses', { times: 5, every: 0, stays: 0 });
    await clock.runUntil(clock.now + hours(1));
    const all = (await bodies()).map((body) => body.counter[0]);
    expect(all.at(-1)).toMatchObject({ value: 95 });
    const windows = all.flatMap(({ measurements }) => measurements.map(({ delta }: Body) => delta));
    expect(windows.reduce((sum: number, delta: number) => sum + delta, 0)).toBe(95);
    expect(Math.max(...windows)).toBe(30 + 5);
  });

  it('that are contacts close for the given time as often as requested, with an event for each closing and each opening', async () => {
    const { clock, device, bodies } = await readyDevice({
      profile: 'control',
      config: [...CHANNELS, 'app config trigger-report-active true', 'app config event-report-delay 600'],
      change: (profile) => ({ ...profile, sensors: profile.sensors.map(withoutPulses) }),
    });
    device.controls.pulse('trigger.1.state', { times: 3, every: minutes(1), stays: seconds(5) });
    await clock.runUntil(clock.now + minutes(11));
    const [trigger] = (await bodies()).at(-1).trigger;
    const at = trigger.events.map(({ timestamp }: Body) => timestamp - trigger.events[0].timestamp);
    expect(trigger.events.map(({ type }: Body) => type)).toEqual([
      'activated',
      'deactivated',
      'activated',
      'deactivated',
      'activated',
      'deactivated',
    ]);
    expect(at).toEqual([0, 5, 60, 65, 120, 125]);
  });

  it('only counters and contacts accept pulses', async () => {
    const { device } = await readyDevice();
    expect(() => device.controls.pulse('hygrometer.humidity', { times: 1, every: 1000, stays: 500 })).toThrow(
      '"hygrometer.humidity" is neither a counter of pulses nor a contact',
    );
  });
});

describe('a counter', () => {
  const counting = () =>
    readyDevice({
      profile: 'control',
      config: ['app config channel-mode-2 counter', 'app config interval-report 300'],
    });
  /** Lets the time pass, and returns the last report's total and all pulses that the reports since then have counted. */
  async function reported({ clock, bodies }: Awaited<ReturnType<typeof counting>>, time: number) {
    const before = (await bodies()).length;
    await clock.runUntil(clock.now + time);
    const reports = (await bodies()).slice(before).map((body) => body.counter[0]);
    const pulses = reports.reduce((sum: number, { delta }: Body) => sum + delta, 0);
    return { value: reports.at(-1).value, pulses };
  }

  it('that is held stands at this value, above or below its count', async () => {
    const rig = await counting();
    rig.device.controls.hold('counter.2.pulses', 1000);
    expect(await reported(rig, minutes(20))).toMatchObject({ value: 1000 });
    expect(await reported(rig, minutes(20))).toEqual({ value: 1000, pulses: 0 });
    rig.device.controls.hold('counter.2.pulses', 100);
    expect(await reported(rig, minutes(20))).toEqual({ value: 100, pulses: 0 });
    rig.device.controls.hold('counter.2.pulses', 130);
    expect(await reported(rig, minutes(20))).toEqual({ value: 130, pulses: 30 });
  });

  it('with a ramp counts from one value to the other', async () => {
    const rig = await counting();
    rig.device.controls.ramp('counter.2.pulses', { from: 50, to: 650, over: minutes(60) });
    const { value } = await reported(rig, minutes(30));
    expect([value > 150, value < 350]).toEqual([true, true]);
    expect(await reported(rig, minutes(60))).toMatchObject({ value: 650 });
  });

  it('counts the rises of a meter, however high it stands, and no pulses when it is replaced', async () => {
    const rig = await counting();
    rig.device.controls.hold('counter.2.pulses', 7);
    await reported(rig, minutes(10));
    const rows = [3_000_000_000, 3_000_000_010, 3_000_000_020, 0, 10, 20];
    const times = rows.map((_, row) => minutes(10) * row);
    rig.device.controls.replay('counter.2.pulses', { times, values: rows });
    expect(await reported(rig, minutes(90))).toEqual({ value: 47, pulses: 40 });
  });

  it('has a total of 64 bits', async () => {
    const rig = await counting();
    rig.device.controls.hold('counter.2.pulses', 0);
    const rows = [0, 1e9, 2e9, 3e9, 4e9, 5e9, 5_000_000_100];
    const times = rows.map((_, row) => minutes(10) * row);
    rig.device.controls.replay('counter.2.pulses', { times, values: rows });
    const { value, pulses } = await reported(rig, minutes(90));
    expect([value, pulses]).toEqual([5_000_000_100, 5_000_000_100]);
  });

  it('can be set to 2^52, continues there, and refuses what could not be counted exactly', async () => {
    const rig = await counting();
    const { controls } = rig.device;
    rig.device.controls.hold('counter.2.pulses', 2 ** 52);
    expect(await reported(rig, minutes(20))).toMatchObject({ value: 2 ** 52 });
    controls.pulse('counter.2.pulses', { times: 5, every: 0, stays: 0 });
    expect(await reported(rig, minutes(10))).toEqual({ value: 2 ** 52 + 5, pulses: 5 });
    const refused = '"counter.2.pulses" counts from 0 to 4503599627370496 (2^52), so it cannot be set to';
    expect(() => controls.hold('counter.2.pulses', 2 ** 53 - 1)).toThrow(`${refused} 9007199254740991`);
    expect(() => controls.ramp('counter.2.pulses', { from: -1, to: 5, over: 0 })).toThrow(`${refused} -1`);
    const values = [Number.NaN, 1e300];
    expect(() => controls.replay('counter.2.pulses', { times: [0, 1], values })).toThrow(`${refused} 1e+300`);
  });

  it('continues from its value when it is free again', async () => {
    const rig = await counting();
    rig.device.controls.hold('counter.2.pulses', 5_000_000_000);
    await reported(rig, minutes(10));
    rig.device.controls.free('counter.2.pulses');
    const { value } = await reported(rig, minutes(30));
    expect([value >= 5_000_000_000, value < 5_000_100_000]).toEqual([true, true]);
  });
});

/** A copy of the sensor whose models make no pulses, clicks or contact changes of their own. */
function withoutPulses(sensor: SensorSpec): SensorSpec {
  const quantities = sensor.quantities.map((quantity) => ({ ...quantity, model: still(quantity.model) }));
  return { ...sensor, quantities };
}

function still(model: ModelSpec): ModelSpec {
  if ('perHour' in model) return { ...model, perHour: 0 };
  return 'perDay' in model ? { ...model, perDay: 0 } : model;
}

describe('buttons', () => {
  it('of Push report every click and hold', async () => {
    const { clock, device, bodies } = await readyDevice({
      profile: 'push',
      change: (profile) => ({ ...profile, sensors: profile.sensors.map(withoutPulses) }),
    });
    device.controls.click('2', 2);
    device.controls.press('x', seconds(2));
    await clock.runUntil(clock.now + minutes(2));
    const all = await bodies();
    const events = (button: string) =>
      all.flatMap((body) =>
        body.buttons.filter((entry: Body) => entry.button === button).flatMap((entry: Body) => entry.events ?? []),
      );
    expect(events('button_2').map(({ type }: Body) => type)).toEqual(['clicked', 'clicked']);
    expect(events('button_x').map(({ type }: Body) => type)).toEqual(['held']);
    expect(events('button_1')).toEqual([]);
  });

  it('of Push FM report a hold as a click', async () => {
    const { clock, device, bodies } = await readyDevice({
      profile: 'push-fm',
      change: (profile) => ({ ...profile, sensors: profile.sensors.map(withoutPulses) }),
    });
    device.controls.press('x', seconds(2));
    await clock.runUntil(clock.now + minutes(2));
    const [button] = (await bodies()).at(-1)?.buttons ?? [];
    expect(button).toMatchObject({ count_click: 1, count_hold: 0, events: [{ type: 'clicked' }] });
  });

  it('the button on the board sends, samples or reboots, depending on the number of clicks', async () => {
    const { clock, device, bodies, of } = await readyDevice();
    const before = (await bodies()).length;
    device.controls.click('int', 1);
    await clock.runUntil(clock.now + minutes(1));
    expect(of('device.wake').at(-1)?.why).toBe('button');
    expect((await bodies()).length).toBe(before + 1);

    device.controls.hold('thermometer.temperature', 30.5);
    device.controls.click('int', 3);
    await clock.runUntil(clock.now + minutes(1));
    const last = (await bodies()).at(-1);
    expect(last.thermometer.temperature).toBe(30.5);
    expect(last.hygrometer.temperature.measurements.length).toBeGreaterThan(0);

    device.controls.click('int', 5);
    device.controls.click('int', 4);
    expect(of('device.boot').map(({ cause }) => cause)).toEqual(['power', 'button']);
  });

  it('the button on the board of a Control polls after two clicks', async () => {
    const { clock, device, of } = await readyDevice({ profile: 'control' });
    device.controls.click('int', 2);
    await clock.runUntil(clock.now + seconds(30));
    expect(of('device.wake').at(-1)?.why).toBe('poll');
  });

  it('the button on the board shows as pressed in the shell while it is pressed', async () => {
    const { clock, device } = await readyDevice();
    device.controls.press('int', seconds(4));
    expect(device.shell('button read int').lines).toEqual(['pressed: true']);
    expect(device.shell('button read ext').lines).toEqual(['pressed: false']);
    await clock.runUntil(clock.now + seconds(4));
    expect(device.shell('button read int').lines).toEqual(['pressed: false']);
  });

  it.each([
    [3, false],
    [7, true],
    [12, false],
  ])(
    'the button on the board, held for %i s through a boot, causes a reboot with default settings: %s',
    async (length, resets) => {
      const { clock, device, of } = await readyDevice({ config: EVERY });
      device.controls.press('int', seconds(length));
      device.reboot('power');
      expect(device.buttonPressed).toBe(true);
      await clock.runUntil(clock.now + minutes(2));
      expect(of('device.boot')[2]?.cause).toBe(resets ? 'button' : undefined);
      const [mode] = device.shell('app config mode').lines;
      expect(mode).toBe(`app config mode "${resets ? 'none' : 'lte'}"`);
    },
  );
});

describe('the flash', () => {
  it('that is worn out fails a save, and the device keeps its present configuration', async () => {
    const { device, of } = await readyDevice();
    device.controls.flash(0);
    device.shell('app config interval-report 600');
    expect(device.shell('config save')).toMatchObject({ code: -5, lines: ['command failed'] });
    expect(device.shell('config reset')).toMatchObject({ code: -5, lines: ['command failed'] });
    expect(of('device.boot')).toHaveLength(1);
    device.reboot('power');
    expect(device.config.number('app', 'interval-report')).toBe(1800);
  });

  it('accepts the given number of writes, and counts them', async () => {
    const { device } = await readyDevice();
    device.controls.flash(2);
    const results = Array.from({ length: 3 }, () => device.shell('config save').code);
    expect(results).toEqual([0, 0, -5]);
    expect(device.config.writes).toBe(2);
    device.controls.flash(Number.POSITIVE_INFINITY);
    expect(device.shell('config save').code).toBe(0);
    expect(device.config.writes).toBe(3);
  });

  it('that is worn out ends a configuration from the cloud like a line that fails: no reboot, no upload', async () => {
    const { clock, cloud, device, of } = await readyDevice({ config: ['app config interval-poll 60'] });
    device.controls.flash(0);
    const before = of('uplink.made').filter(({ type }) => type === 'config').length;
    await cloud.core.queue(await cloud.device(), { type: 'config', lines: ['app config interval-report 600'] });
    await clock.runUntil(clock.now + minutes(4));
    expect(
      of('downlink.executed')
        .filter(({ type }) => type === 'config')
        .at(-1),
    ).toMatchObject({ ok: false });
    expect(of('device.boot')).toHaveLength(1);
    expect(of('uplink.made').filter(({ type }) => type === 'config')).toHaveLength(before);
  });
});

describe('antenna and battery', () => {
  it('reports show a weak signal during the override, and a stronger signal after its end', async () => {
    const { clock, device, bodies } = await readyDevice({ config: ['app config interval-report 300'] });
    device.controls.signal({ rsrp: -117 });
    await clock.runUntil(clock.now + minutes(30));
    const { rsrp } = (await bodies()).at(-1).network.parameter;
    expect(Math.abs(rsrp + 117)).toBeLessThanOrEqual(4);
    device.controls.signal(undefined);
    await clock.runUntil(clock.now + minutes(30));
    expect((await bodies()).at(-1).network.parameter.rsrp).toBeGreaterThan(-116);
  });

  it('a battery set to a voltage has this voltage; a new battery is unused', async () => {
    const { device } = await readyDevice({ profile: 'meteo' });
    device.controls.batteryVoltage(3.2);
    expect(device.battery.rest()).toBeCloseTo(3.2, 3);
    device.controls.battery(0);
    expect(device.battery.used).toBe(0);
    expect(device.battery.rest()).toBeGreaterThan(3.6);
  });
});

it.each([
  ['a passing fault of the modem', 'the modem is off', (controls: DeviceControls) => controls.modem('error')],
  ['a click', 'nothing notices the button', (controls: DeviceControls) => controls.click('int', 1)],
  [
    'a pulse',
    'nothing counts the pulses',
    (controls: DeviceControls) => controls.pulse('button.1.clicks', { times: 1, every: 0, stays: 0 }),
  ],
])('%s is rejected while the device is off', (_, reason, change) => {
  const { device } = testDevice({ profile: 'push', network: () => {} });
  expect(() => change(device.controls)).toThrow(`${reason}: the device has no power or is restarting`);
});

it('a device without overrides keeps no state for them', async () => {
  const { device } = await readyDevice();
  expect(device.boardOverrides).toBeUndefined();
  expect(device.config.writes).toBe(0);
});
