/**
 * The text that configures a slot for a device on the serial line: `type[,address[,timeout in s]]` (catalog.json, serial). The
 * parser is as lenient as that of the firmware: it reads several commas as one, takes the leading digits of a text as its
 * number, and treats an address out of range as missing.
 */
import type { Seconds } from '../../kernel/time.js';
import type { SlotTypes } from '../../profile/parameters.js';
import { leadingInteger } from './number.js';

export interface DeviceSlot {
  readonly type: string;
  /** 1 to 247; 0 if the slot has no address. */
  readonly address: number;
  /** Seconds to wait for an answer. */
  readonly timeout: Seconds;
}

/** Type of an unused slot. */
export const NO_DEVICE = 'none';

/** Parses the text of a slot; undefined if its type is unknown. An empty text has the type {@link NO_DEVICE}. */
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
