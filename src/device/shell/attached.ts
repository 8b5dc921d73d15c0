/**
 * What hangs on a device from outside, as commands see it: devices on a serial line, and a receiver of meters. The host
 * (host.ts) has a part of these only where the device type has the equipment.
 */

import type { Millis } from '../../kernel/time.js';
import type { Dbm } from '../../kernel/units.js';
import type { DeviceSlot } from '../config/device-slot.js';

/** Devices on the line of Serial (applications: serial). */
export interface ShellLine {
  /** By slot, as the running firmware has them; of the type `none` where a slot is not in use. */
  readonly slots: readonly DeviceSlot[];
  /** Slots as the shell has them, which nobody obeys before the next boot. */
  readonly unsaved: readonly DeviceSlot[];
  /** Whether the firmware can talk to the device in a slot, from 0. */
  hasDriver(slot: number): boolean;
  /** Samples the device in a slot now; false when it does not answer. */
  sample(slot: number): boolean;
  /** 16-bit registers of the device with a line address; undefined when nobody answers there. */
  registers(address: number, first: number, count: number): readonly number[] | undefined;
}

/** The receiver of wM-Bus. Nothing of it answers: what it does shows in reports. */
export interface ShellReceiver {
  /** Begins a scan. */
  scan(): void;
  /** Puts all meters on the list that it hears within `timeout` at `threshold` dBm or more, then saves and reboots. */
  enroll(timeout: Millis, threshold: Dbm): void;
  /** Puts a made-up frame in. */
  push(): void;
}
