/** The equipment of single device types as shell commands see it (shell/equipment.ts), computed from the state of the firmware. */
import type { Clock } from '../../kernel/clock.js';
import { type Instant, type Millis, seconds, type UnixSeconds } from '../../kernel/time.js';
import type { StringParameter } from '../../profile/parameters.js';
import type { Profile } from '../../profile/profile.js';
import type { DeviceConfig } from '../config/device-config.js';
import { type DeviceSlot, NO_DEVICE, parseDeviceSlot } from '../config/device-slot.js';
import type { ConfigItem } from '../config/layout.js';
import type { DeviceFacts, Hardware } from '../hardware/hardware.js';
import type { Spool, SpooledMessage } from '../hardware/spool.js';
import type { Measurements } from '../measuring/measurements.js';
import type {
  ChannelState,
  InputCalibration,
  MotionCounts,
  MotionSample,
  ShellChannels,
  ShellEquipment,
  ShellInputs,
  ShellLine,
  ShellMotion,
  ShellSpool,
  ShellTags,
  TagReading,
} from '../shell/equipment.js';
import type { ShellMemory } from '../shell/host.js';
import type { Application } from './application.js';

/** The firmware as the board and its equipment need it. */
export interface ShellFirmware {
  readonly profile: Profile;
  readonly config: DeviceConfig;
  readonly clock: Clock;
  readonly hardware: Pick<Hardware, 'serial' | 'environment' | 'buttonPressed' | 'spent'>;
  readonly measurements: Measurements;
  readonly application: Pick<Application, 'catchUp'>;
  readonly spool: Spool;
  readonly facts: DeviceFacts;
  readonly shellMemory: ShellMemory;
  /** Time since the boot. */
  readonly uptime: Millis;
  /** Unix seconds on the device's clock. */
  readUnixTime(): UnixSeconds;
  /** The same with fractions. */
  readExactTime(at?: Instant): UnixSeconds;
}

export function makeEquipment(firmware: ShellFirmware): ShellEquipment {
  return {
    get spool() {
      return firmware.profile.timing.spoolSize && makeSpool(firmware);
    },
    get channels() {
      return findChannels(firmware);
    },
    get inputs() {
      return findInputs(firmware);
    },
    get motion() {
      return findMotion(firmware);
    },
    get tags() {
      return findTags(firmware);
    },
    get line() {
      return findLine(firmware);
    },
  };
}

const TAG = 'ble_tag';

/** The BLE tags; undefined if the application does not receive tags. */
function findTags(firmware: ShellFirmware): ShellTags | undefined {
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
function findMotion(firmware: ShellFirmware): ShellMotion | undefined {
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
      measurements.look(clock.wall, firmware.readUnixTime());
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

/** The analog inputs that can be calibrated; undefined if the device has none. */
function findInputs(firmware: ShellFirmware): ShellInputs | undefined {
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

const CHANNEL_MODES = ['trigger', 'counter', 'voltage', 'current'] as const;

/** The input channels of the application; undefined if its profile has none. */
function findChannels(firmware: ShellFirmware): ShellChannels | undefined {
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

/** The devices in the slots of the application; undefined if it has no slots. */
function findLine(firmware: ShellFirmware): ShellLine | undefined {
  const { config, measurements, clock, profile } = firmware;
  const places = (config.layout.module('app')?.items ?? []).filter(isSlot);
  if (places.length === 0) return undefined;
  const slots = places.map(({ module, spec }) => read(config.text(module, spec.name), spec));
  const sensorOf = (slot: number) => measurements.find(slots[slot]?.type ?? NO_DEVICE, slot + 1);
  return {
    slots,
    limit: profile.serialLine,
    unsaved: places.map((item) => read(String(config.read(item)), item.spec)),
    hasDriver: (slot) => sensorOf(slot) !== undefined,
    sample: (slot) => {
      const sensor = sensorOf(slot);
      return sensor !== undefined && measurements.sampleOne(sensor, clock.wall, firmware.readUnixTime());
    },
    registers: (address, first, count) => {
      const slot = slots.findIndex((known) => known.address === address);
      const sensor = sensorOf(slot);
      if (sensor === undefined) return undefined;
      const { name, quantities } = sensor.spec;
      const values = quantities.map((quantity) => measurements.read(name, quantity.name, clock.wall, slot + 1));
      if (values.some((value) => value === undefined)) return undefined;
      const words = values.flatMap((value) => splitSingle(value ?? 0));
      return Array.from({ length: count }, (_, n) => words[first + n] ?? 0);
    },
  };
}

type SlotItem = ConfigItem & { readonly spec: StringParameter };

function isSlot(item: ConfigItem): item is SlotItem {
  return item.spec.type === 'string' && item.spec.check === 'device-slot';
}

function read(text: string, { types = {} }: StringParameter): DeviceSlot {
  return parseDeviceSlot(text, types) ?? { type: NO_DEVICE, address: 0, timeout: 1 };
}

/** A single-precision number as two registers, the high half first. */
function splitSingle(value: number): readonly number[] {
  const view = new DataView(new ArrayBuffer(4));
  view.setFloat32(0, value);
  return [view.getUint16(0), view.getUint16(2)];
}

/** The message that `cloud spool fake` adds: UPLOAD_DATA with the decoder hash 0 and an empty map as its body. */
const MADE_UP = Uint8Array.from([6, 0, 0, 0, 0, 0, 0, 0, 0, 0xbf, 0xff]);

function makeSpool(firmware: ShellFirmware): ShellSpool {
  const { spool, config, profile, facts } = firmware;
  const { spoolSize } = profile.timing;
  const capacity = spoolSize ? config.number(spoolSize.module, spoolSize.name) : 0;
  const drop = (lost: readonly SpooledMessage[], why: string): void => {
    for (const { uplink } of lost) facts.dropped(uplink, 'data', why);
  };
  return {
    count: spool.count,
    messages: spool.messages.map(({ message }) => message),
    remove: (n) => {
      const message = spool.messages[n];
      if (message === undefined) return;
      spool.remove(message);
      drop([message], 'spool cleaned');
    },
    fake: (count) => {
      for (let i = 0; i < count; i++) {
        const uplink = facts.made('data', MADE_UP);
        // The command pauses for 2 ms after each message.
        const stored = firmware.readExactTime() + i * 0.002;
        drop(spool.add({ uplink, message: MADE_UP, stored }, capacity), 'spool full');
      }
    },
    clean: () => drop(spool.clear(), 'spool cleaned'),
  };
}
