/**
 * A slot for a device on the serial line: `type[,address[,timeout in s]]` (applications: serial). Read with the leniency of
 * the firmware: commas in a row are one, numbers are what a text begins with, and an address out of range is none.
 */
import type { Seconds } from '../../kernel/time.js';
import type { SlotTypes } from '../../profile/parameters.js';
import { leadingInteger } from './number.js';

export interface DeviceSlot {
  readonly type: string;
  /** 1 to 247; 0 for none. */
  readonly address: number;
  /** Seconds to wait for an answer. */
  readonly timeout: Seconds;
}

/** The type of a slot that is not in use. */
export const NO_DEVICE = 'none';

/** Reads a slot; undefined when it names no known type. An empty slot is of the type {@link NO_DEVICE}. */
export function parseDeviceSlot(text: string, types: SlotTypes): DeviceSlot | undefined {
  const [type = NO_DEVICE, first = '', second = ''] = text.split(',').filter((word) => word !== '');
  if (types[type] === undefined && type !== NO_DEVICE) return undefined;
  const address = leadingInteger(first);
  return {
    type,
    address: address > 0 && address <= 247 ? address : 0,
    timeout: Math.max(1, leadingInteger(second)),
  };
}
