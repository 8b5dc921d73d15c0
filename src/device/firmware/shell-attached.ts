/** Attached equipment as shell commands see it (shell/attached.ts): the serial line and the receiver of meters. */
import type { Clock } from '../../kernel/clock.js';
import type { Millis, UnixSeconds } from '../../kernel/time.js';
import type { StringParameter } from '../../profile/parameters.js';
import type { Profile } from '../../profile/profile.js';
import type { DeviceConfig } from '../config/device-config.js';
import { type DeviceSlot, NO_DEVICE, parseDeviceSlot } from '../config/device-slot.js';
import type { ConfigItem } from '../config/layout.js';
import type { Measurements } from '../measuring/measurements.js';
import type { ShellLine, ShellReceiver } from '../shell/attached.js';
import type { Receiver } from '../wmbus/receiver.js';
import type { Application } from './application.js';

/** The firmware as this file needs it. */
export interface AttachedHost {
  readonly profile: Profile;
  readonly config: DeviceConfig;
  readonly clock: Clock;
  readonly measurements: Measurements;
  readonly receiver: Receiver | undefined;
  readonly application: Pick<Application, 'planScan' | 'pollBetweenReports'>;
  /** Unix seconds on the device's clock. */
  unixTime(): UnixSeconds;
}

/** The devices in the slots of the application; undefined if it has no slots. */
export function lineOf(firmware: AttachedHost): ShellLine | undefined {
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
      return sensor !== undefined && measurements.sampleOne(sensor, clock.wall, firmware.unixTime());
    },
    registers: (address, first, count) => {
      const slot = slots.findIndex((known) => known.address === address);
      const sensor = sensorOf(slot);
      if (sensor === undefined) return undefined;
      const { name, quantities } = sensor.spec;
      const values = quantities.map((quantity) => measurements.read(name, quantity.name, clock.wall, slot + 1));
      if (values.some((value) => value === undefined)) return undefined;
      const words = values.flatMap((value) => singleWords(value ?? 0));
      return Array.from({ length: count }, (_, n) => words[first + n] ?? 0);
    },
  };
}

/** The receiver of meters; undefined if the device has none. */
export function receiverOf(firmware: AttachedHost): ShellReceiver | undefined {
  const { receiver } = firmware;
  if (receiver === undefined) return undefined;
  return {
    scan: () => {
      receiver.begin();
      firmware.application.planScan();
    },
    enroll: (timeout: Millis, threshold: number) => {
      receiver.enroll(timeout, threshold);
      firmware.application.planScan();
    },
    push: () => receiver.pushMadeUp(),
    poll: () => firmware.application.pollBetweenReports(),
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
function singleWords(value: number): readonly number[] {
  const view = new DataView(new ArrayBuffer(4));
  view.setFloat32(0, value);
  return [view.getUint16(0), view.getUint16(2)];
}
