/**
 * A slot for a device on the serial line: `type[,address[,timeout in s]]` (applications: serial). Read as
 * leniently as the firmware does: several commas count as one, a number is the leading digits of a text, and an address out of
 * range counts as no address.
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
