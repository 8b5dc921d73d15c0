/**
 * The names of recorded devices, in a file of their own: a recording has only pseudonyms, so that it can be passed on, and this
 * file stays on its machine.
 */
import { dictionary, record, text } from '../input/checks.js';
import { Problems } from '../input/document.js';
import { readJson } from '../input/json.js';

interface DeviceName {
  readonly name: string;
  readonly serial: string;
}

/** By pseudonym. */
export type DeviceNames = ReadonlyMap<string, DeviceName>;

const NAMES = dictionary(record('a device', { name: text(/^/), serial: text(/^\d{0,20}$/, 'a serial number') }));

export function writeDeviceNames(names: DeviceNames): string {
  return `${JSON.stringify(Object.fromEntries(names), null, 2)}\n`;
}

/** @throws InputError if the text has not the form of {@link writeDeviceNames} */
export function readDeviceNames(content: string, file: string): DeviceNames {
  const problems = new Problems();
  const names = NAMES(readJson(content, file), problems);
  problems.finish();
  return names ?? new Map();
}
