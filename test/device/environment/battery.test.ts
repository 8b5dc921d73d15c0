/** The battery: voltages by age and cold, the use of its charge, and brown-outs (behaviour B-35). */
import { describe, expect, it } from 'vitest';
import { Battery } from '../../../src/device/environment/battery.js';
import { days, hours, minutes, seconds } from '../../../src/kernel/time.js';
import { liveDevice } from '../../support/live-device.js';

const SEEDS = Array.from({ length: 200 }, (_, i) => i * 7919);

/** A pack of which the share `used` (0 to 1) is used up. */
function pack(used: number, seed = 1): Battery {
  const battery = new Battery(seed);
  battery.set(used);
  return battery;
}

describe('a fresh pack', () => {
  it('has 3.60 to 3.68 V at rest, 3.45 to 3.60 V under load, and 34 to 36 mA', () => {
    for (const seed of SEEDS) {
      const battery = pack(0, seed);
      expect(battery.rest()).toBeGreaterThanOrEqual(3.6);
      expect(battery.rest()).toBeLessThanOrEqual(3.68);
      expect(battery.load(20)).toBeGreaterThanOrEqual(3.45);
      expect(battery.load(20)).toBeLessThanOrEqual(3.6);
      expect(Math.trunc(10 * battery.load(20))).toBeGreaterThanOrEqual(34);
      expect(Math.trunc(10 * battery.load(20))).toBeLessThanOrEqual(36);
    }
  });
});

describe('a used pack', () => {
  it('has a nearly constant voltage at rest until 85 % are used; the voltage then falls to 3.0 V', () => {
    expect(pack(0).rest() - pack(0.85).rest()).toBeLessThan(0.1);
    expect(pack(0.85).rest() - pack(1).rest()).toBeGreaterThan(0.5);
    expect(pack(1).rest()).toBeCloseTo(3.0, 1);
  });

  it('has only 2.9 to 3.2 V under load when 91 to 95 % are used', () => {
    for (const used of [0.91, 0.93, 0.95]) {
      expect(pack(used).load(20)).toBeGreaterThan(2.9);
      expect(pack(used).load(20)).toBeLessThan(3.2);
    }
  });

  it('has a lower voltage with every percent that is used', () => {
    for (let percent = 1; percent <= 100; percent++) {
      expect(pack(percent / 100).rest()).toBeLessThan(pack((percent - 1) / 100).rest());
      expect(pack(percent / 100).load(20)).toBeLessThan(pack((percent - 1) / 100).load(20));
    }
  });
});

describe('cold', () => {
  it.each([0, 0.5, 0.85, 0.93])('of -20 °C lowers the load voltage by 0.1 to 0.3 V at the used share %d', (used) => {
    const lost = pack(used).load(20) - pack(used).load(-20);
    expect(lost).toBeGreaterThanOrEqual(0.1);
    expect(lost).toBeLessThanOrEqual(0.3);
  });

  it('has no opposite: warmth above 20 °C does not raise the load voltage', () => {
    expect(pack(0.5).load(40)).toBe(pack(0.5).load(20));
  });
});

describe('the charge', () => {
  it('decreases with every second of radio and every measurement, and slowly when idle', () => {
    const battery = pack(0);
    battery.spend('connected', hours(1), 0);
    expect(battery.used).toBeCloseTo(50 / 7200);
    battery.spend('attach', hours(1), 0);
    expect(battery.used).toBeCloseTo(110 / 7200);
    battery.spend('test-load', seconds(9), 0);
    expect(battery.used).toBeCloseTo((110 + 35 / 400) / 7200);
    battery.spend('connected', 0, days(1000));
    expect(battery.used).toBeCloseTo((110 + 35 / 400 + 0.02 * 24 * 1000) / 7200);
  });

  it('is not used while a power line supplies the board', () => {
    const battery = pack(0.5);
    battery.idle(0);
    battery.idle(days(1000));
    battery.spend('connected', 0, days(1000));
    expect(battery.used).toBe(0.5);
  });

  it('of a new device is at most a quarter used, and differs between devices', () => {
    const used = SEEDS.map((seed) => new Battery(seed).used);
    expect(Math.max(...used)).toBeLessThanOrEqual(0.25);
    expect(new Set(used).size).toBe(SEEDS.length);
  });
});

describe('the transmitter', () => {
  it('works at any temperature with a pack that is not old', () => {
    for (const seed of SEEDS) {
      const battery = pack(0.299, seed);
      expect(battery.isStrong).toBe(true);
      expect(battery.bearsRadio(-40)).toBe(true);
    }
    expect(pack(0.6).bearsRadio(20)).toBe(true);
  });

  it('does not work with an old pack, and fails earlier in the cold', () => {
    expect([pack(0.85).bearsRadio(20), pack(0.85).bearsRadio(-20)]).toEqual([true, false]);
    expect(pack(0.95).bearsRadio(20)).toBe(false);
  });
});

describe('a device on its battery', () => {
  it('drains the battery faster the more often it reports', async () => {
    const spent = async (interval: number) => {
      const { device, run } = await liveDevice({
        profile: 'meteo',
        config: [`app config interval-report ${interval}`],
      });
      await run(minutes(10));
      const before = device.battery.used;
      await run(days(2));
      return device.battery.used - before;
    };
    const [rarely, often] = [await spent(3600), await spent(300)];
    expect(rarely).toBeGreaterThan(0);
    expect(often).toBeGreaterThan(3 * rarely);
  });

  it('counts the test load of a measurement', async () => {
    const { device, run } = await liveDevice({ profile: 'meteo', config: ['app config mode none'] });
    await run(seconds(30));
    const before = device.battery.used;
    await run(minutes(2));
    device.firmware?.application.catchUp();
    // 9 s at 35 mA; two minutes without a load use next to nothing.
    expect((device.battery.used - before) * 7200).toBeCloseTo((35 * 9) / 3600, 2);
  });

  it('browns out at sending when the pack is old, boots, and browns out again', async () => {
    const { device, of, run } = await liveDevice({ profile: 'meteo' });
    await run(minutes(5));
    expect(of('device.boot')).toHaveLength(1);
    device.battery.set(0.97);
    await run(minutes(40));
    const causes = of('device.boot').map(({ cause }) => cause);
    expect(causes.slice(1, 4)).toEqual(['brown-out', 'brown-out', 'brown-out']);
    expect(device.modem.registered).toBe(false);
  });

  it('with an old pack has its modem in a reset loop after repeated brown-outs', async () => {
    const { device, run } = await liveDevice({ profile: 'meteo' });
    device.battery.set(0.97);
    await run(minutes(20));
    expect(device.modem.state).toBe('reset_loop');
  });

  it('works again with a new pack', async () => {
    const { device, run } = await liveDevice({ profile: 'meteo' });
    device.battery.set(0.97);
    await run(minutes(3));
    device.battery.set(0);
    await run(minutes(40));
    expect(device.firmware?.cloud.initialized).toBe(true);
  });

  it('in the cold browns out with a pack that is good enough in a warm room', async () => {
    const { device, of, run } = await liveDevice({ profile: 'meteo' });
    device.battery.set(0.85);
    device.controls.hold('thermometer.temperature', 20);
    await run(minutes(45));
    expect(of('device.boot')).toHaveLength(1);
    device.controls.hold('thermometer.temperature', -25);
    await run(minutes(45));
    expect(of('device.boot').length).toBeGreaterThan(1);
  });
});

describe('a device on a power line', () => {
  it('shows 3.6 to 3.7 V and never browns out, whatever its battery', async () => {
    const { device, of, run } = await liveDevice();
    device.battery.set(1);
    await run(hours(2));
    expect(of('device.boot')).toHaveLength(1);
    const rest = device.firmware?.measurements.read('battery', 'voltage_rest', device.clock.wall);
    expect(rest).toBeGreaterThanOrEqual(3.6);
    expect(rest).toBeLessThanOrEqual(3.7);
    expect(device.battery.used).toBe(1);
  });

  it('falls back to its battery when the power line is cut', async () => {
    const { device, of, run } = await liveDevice();
    device.battery.set(1);
    await run(minutes(10));
    device.controls.line(false);
    await run(minutes(10));
    expect(of('device.boot')[1]).toMatchObject({ cause: 'brown-out' });
  });
});
