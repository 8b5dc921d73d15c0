/**
 * Attached equipment, as commands see it: devices on a serial line, and a receiver of meters. The host (host.ts) has these only
 * if the device type has the equipment.
 */

import type { Millis } from '../../kernel/time.js';
import type { Dbm } from '../../kernel/units.js';
import type { SerialLineSpec } from '../../profile/profile.js';
import type { DeviceSlot } from '../config/device-slot.js';

/** Devices on the serial line of CHESTER Serial (applications.json, serial). */
export interface ShellLine {
  /** By slot, as the running firmware has them; unused slots have the type `none`. */
  readonly slots: readonly DeviceSlot[];
  /** Slots as the shell shows and changes them; in effect after a save and the next boot. */
  readonly unsaved: readonly DeviceSlot[];
  /** Maximum number of devices in use, and the name of the line for the error; undefined without a limit. */
  readonly limit: SerialLineSpec | undefined;
  /** Whether the firmware can talk to the device in a slot, from 0. */
  hasDriver(slot: number): boolean;
  /** Samples the device in a slot now; false when it does not answer. */
  sample(slot: number): boolean;
  /** 16-bit registers of the device with a line address; undefined if no device answers at that address. */
  registers(address: number, first: number, count: number): readonly number[] | undefined;
}

/** The wM-Bus receiver. Its commands return nothing; reports show the result. */
export interface ShellReceiver {
  /** Begins a scan. */
  scan(): void;
  /**
   * Replaces the list by all meters received within `timeout` at `threshold` dBm or more; the device then saves and reboots.
   */
  enroll(timeout: Millis, threshold: Dbm): void;
  /** Adds a made-up frame. */
  push(): void;
  /** Polls for downlinks on the queue that sends the reports, without a time limit. */
  poll(): void;
}
