/**
 * The equipment of single device types as shell commands see it (shell/equipment.ts), computed from the state of the firmware.
 */
import type { Clock } from '../../kernel/clock.js';
import { noise } from '../../kernel/random.js';
import { seconds, type UnixSeconds } from '../../kernel/time.js';
import type { Profile } from '../../profile/profile.js';
import type { DeviceConfig } from '../config/device-config.js';
import type { Hardware } from '../hardware/hardware.js';
import { positionsByModem } from '../hardware/identity.js';
import type { Measurements } from '../measuring/measurements.js';
import type {
  InputCalibration,
  MotionCounts,
  MotionSample,
  Position,
  ShellInputs,
  ShellMotion,
  ShellTags,
  TagReading,
  WeatherReading,
} from '../shell/equipment.js';
import type { ChannelState, ShellChannels } from '../shell/host.js';
import type { Application } from './application.js';

/** The firmware as this file needs it. */
export interface EquipmentHost {
  readonly profile: Profile;
  readonly config: DeviceConfig;
  readonly clock: Clock;
  readonly hardware: Pick<Hardware, 'serial' | 'environment'>;
  readonly measurements: Measurements;
  readonly application: Pick<Application, 'catchUp'>;
  /** Unix seconds on the device's clock. */
  unixTime(): UnixSeconds;
}

const TAG = 'ble_tag';

/** The BLE tags; undefined if the application does not receive tags. */
export function tagsOf(firmware: EquipmentHost): ShellTags | undefined {
  const { config, measurements, clock, hardware, profile } = firmware;
  const module = config.layout.module('tag');
  if (module === undefined) return undefined;
  const kind = profile.sensors.findIndex(({ name }) => name === TAG);
  const { environment } = measurements;

  const reading = (n: number, address: string, value: (quantity: number) => number): TagReading | undefined => {
    const values = new Map(environment.signals(kind, n).map(({ spec }, quantity) => [spec.name, value(quantity)]));
    const heard = [...values].filter(([, each]) => !Number.isNaN(each));
    // A tag without a signal strength is out of range.
    return Number.isNaN(values.get('rssi') ?? Number.NaN) ? undefined : { address, ...Object.fromEntries(heard) };
  };
  const live = (n: number) => (quantity: number) => {
    const signal = environment.signals(kind, n)[quantity];
    return signal ? environment.value(signal, clock.wall) : Number.NaN;
  };
  const scan = (): readonly (TagReading | undefined)[] =>
    module.slots.map((_, n) => {
      const address = config.slot('tag', n);
      return address === undefined ? undefined : reading(n, address, live(n));
    });
  /** A tag that is not enrolled. It has the values of the sensor of the first empty slot, in which it would be enrolled. */
  const stranger = (): TagReading | undefined => {
    const n = module.slots.findIndex((_, slot) => config.slot('tag', slot) === undefined);
    const address = hardware.environment.serialNumber(kind, n).toString(16).padStart(12, '0');
    return n < 0 ? undefined : reading(n, address, live(n));
  };
  return {
    enabled: config.flag('tag', 'enabled'),
    scanDuration: seconds(config.number('tag', 'scan-duration')),
    scan,
    cached: () =>
      module.slots.map((_, n) => {
        const sensor = measurements.find(TAG, n + 1);
        const address = config.slot('tag', n);
        if (sensor === undefined || address === undefined) return undefined;
        return reading(n, address, (quantity) => measurements.memory.last(sensor, quantity));
      }),
    nearby: () => [...scan(), stranger()].filter((tag) => tag !== undefined),
  };
}

/** The motion detectors; undefined if the device has none. */
export function motionOf(firmware: EquipmentHost): ShellMotion | undefined {
  const { measurements, clock } = firmware;
  const sensor = measurements.find('motion');
  if (sensor === undefined) return undefined;
  const { memory } = measurements;
  const place = (name: string) => sensor.spec.quantities.findIndex((quantity) => quantity.name === name);
  const counts = (of: (quantity: number) => number): MotionCounts => ({
    detectLeft: of(place('detect_left')),
    detectRight: of(place('detect_right')),
    motionLeft: of(place('motion_left')),
    motionRight: of(place('motion_right')),
  });
  return {
    totals: () => {
      firmware.application.catchUp();
      measurements.look(clock.wall, firmware.unixTime());
      return counts((quantity) => memory.total(sensor, quantity));
    },
    samples: () =>
      Array.from({ length: memory.sampleCount(sensor) }, (_, row): MotionSample => {
        return {
          ...counts((quantity) => memory.logValue(sensor, row, quantity)),
          time: memory.logTime(sensor, row),
        };
      }),
  };
}

/** Readings of the METEO module; undefined if the device has none, or if it does not answer. */
export function weatherOf(firmware: EquipmentHost): WeatherReading | undefined {
  const { measurements, clock } = firmware;
  const gauge = measurements.find('rain_gauge');
  const windSpeed = measurements.read('anemometer', 'speed', clock.wall);
  const windDirection = measurements.read('vane', 'direction', clock.wall);
  if (gauge === undefined || windSpeed === undefined || windDirection === undefined) return undefined;
  measurements.look(clock.wall, firmware.unixTime());
  const each = gauge.spec.windows?.each ?? 1;
  return { rainfall: measurements.memory.sinceWindow(gauge, 0) * each, windSpeed, windDirection };
}

/** The analog inputs that can be calibrated; undefined if the device has none. */
export function inputsOf(firmware: EquipmentHost): ShellInputs | undefined {
  const { config, measurements, hardware, clock, profile } = firmware;
  const kind = profile.sensors.findIndex(({ name }) => name === 'analog_channel');
  if (kind < 0) return undefined;
  const number = (word: string, channel: number) => config.number('app', `channel-calib-${word}-${channel}`);
  return {
    read: (channel) => {
      // Inactive inputs have a calibration too, although they are not sensors of the running firmware.
      const value = (name: string): number => {
        const signals = hardware.environment.signals(kind, channel - 1);
        const signal = signals.find(({ spec }) => spec.name === name);
        return signal ? hardware.environment.value(signal, clock.wall) : Number.NaN;
      };
      const [mean, rms] = [value('raw_mean'), value('raw_rms')];
      return Number.isNaN(mean) || Number.isNaN(rms) ? undefined : { mean, rms };
    },
    calibration: (channel) => ({
      mode: config.text('app', `channel-calib-mode-${channel}`) === 'mean' ? 'mean' : 'rms',
      x0: number('x0', channel),
      y0: number('y0', channel),
      x1: number('x1', channel),
      y1: number('y1', channel),
    }),
    calibrate: (channel, changes: Partial<InputCalibration>) => {
      firmware.application.catchUp();
      for (const [word, value] of Object.entries(changes)) {
        const item = config.layout.find('app', `channel-calib-${word}-${channel}`);
        if (item && !config.store(item, String(value))) return false;
      }
      measurements.recalibrate(config);
      return true;
    },
  };
}

/** The device's position: a place in Bohemia that depends on its serial number. */
export function positionOf({ hardware }: EquipmentHost): Position {
  const { serial } = hardware;
  const place = (index: number, from: number, to: number) => from + (to - from) * noise(serial, index);
  return {
    latitude: place(1, 49.4, 50.6),
    longitude: place(2, 13, 16),
    altitude: place(3, 200, 600),
    byModem: positionsByModem(serial),
  };
}

const CHANNEL_MODES = ['trigger', 'counter', 'voltage', 'current'] as const;

/** The input channels of the application; undefined if its profile has none. */
export function channelsOf(firmware: EquipmentHost): ShellChannels | undefined {
  const { measurements, clock, profile } = firmware;
  if (!profile.commands.includes('channel')) return undefined;
  const inputs = profile.sensors.filter(({ name }) => CHANNEL_MODES.some((mode) => mode === name));
  const sensorOf = (channel: number) => {
    for (const mode of CHANNEL_MODES) {
      const sensor = measurements.find(mode, channel);
      if (sensor) return { mode, sensor };
    }
    return undefined;
  };
  return {
    count: Math.max(0, ...inputs.map(({ count }) => count)),
    state: (channel): ChannelState => {
      const found = sensorOf(channel);
      if (found === undefined) return { mode: 'disabled' };
      const { mode, sensor } = found;
      const { memory } = measurements;
      if (mode === 'counter') {
        measurements.count(sensor, clock.wall);
        return { mode, value: memory.total(sensor, 0), delta: memory.delta(sensor, 0) };
      }
      if (mode === 'trigger') {
        const list = memory.plan.lists.find((candidate) => candidate.sensor.index === sensor.index);
        return { mode, active: list !== undefined && memory.isOn(list), events: list ? memory.eventCount(list) : 0 };
      }
      const last = memory.last(sensor, 0);
      return {
        mode,
        last: Number.isNaN(last) ? undefined : last,
        live: measurements.read(mode, mode, clock.wall, channel),
        samples: memory.sampleCount(sensor),
        measurements: memory.windowCount(sensor),
      };
    },
    reset: (channel) => {
      const found = sensorOf(channel);
      if (found) measurements.reset(found.sensor, clock.wall);
    },
  };
}
