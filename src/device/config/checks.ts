/** Checks of strings (shell S-17; catalog.json, serial). They return the error text, or undefined for a valid value. */
import { Buffer } from 'node:buffer';
import type { StringCheck, StringParameter } from '../../profile/parameters.js';
import { parseDeviceSlot } from './device-slot.js';

type Checker = (text: string, spec: StringParameter) => string | undefined;

/** Differences between the checks of the two families of firmware: the bands of the modem, and the texts. */
interface Checks {
  readonly bands: readonly number[];
  readonly mode: string;
  readonly comma: string;
  readonly number: string;
  readonly band: (band: number) => string;
  readonly network: string;
  readonly digits: string;
}

export function stringCheckers(checks: Checks): Readonly<Record<StringCheck, Checker>> {
  return {
    'lte-mode': (text) => checkMode(text, checks),
    'lte-bands': (text) => checkBands(text, checks),
    'lte-network': (text) => checkNetwork(text, checks),
    'device-slot': checkDeviceSlot,
  };
}

/** The checks of CHESTER. */
export const STRING_CHECKERS = stringCheckers({
  bands: [1, 2, 3, 4, 5, 8, 12, 13, 17, 18, 19, 20, 25, 26, 28, 66],
  mode: 'invalid mode',
  comma: 'expected comma',
  number: 'invalid number format',
  band: (band) => `band ${band} is not supported`,
  network: 'must be "" or PLMN ID (format: 5-6 digits)',
  digits: 'PLMN ID must be digits',
});

/** A list of radio technologies: `lte-m,nb-iot`. */
function checkMode(text: string, { mode: wrongMode, comma }: Checks): string | undefined {
  let rest = text;
  while (true) {
    const mode = /^(?:lte-m|nb-iot)/.exec(rest);
    if (!mode) return wrongMode;
    rest = rest.slice(mode[0].length);
    if (rest === '') return undefined;
    if (!rest.startsWith(',')) return comma;
    rest = rest.slice(1);
  }
}

/** A list of bands: `8,20`; empty for all. */
function checkBands(text: string, { bands, number: wrongNumber, band }: Checks): string | undefined {
  if (text === '') return undefined;
  let rest = text;
  while (true) {
    const number = /^\d+(?=,|$)/.exec(rest)?.[0];
    if (number === undefined || Number(number) > 255) return wrongNumber;
    if (!bands.includes(Number(number))) return band(Number(number));
    if (rest === number) return undefined;
    rest = rest.slice(number.length + 1);
  }
}

/** The number of a network (PLMN ID); empty for any network. */
function checkNetwork(text: string, { network, digits }: Checks): string | undefined {
  if (text === '') return undefined;
  const bytes = Buffer.byteLength(text);
  if (bytes < 5 || bytes > 6) return network;
  return /^\d+$/.test(text) ? undefined : digits;
}

/** A device on a serial line. The firmware's answer to an invalid text lists the valid types in groups of four. */
function checkDeviceSlot(text: string, { types = {} }: StringParameter): string | undefined {
  if (text === '' || parseDeviceSlot(text, types)) return undefined;
  const names = Object.keys(types);
  const rows = Array.from({ length: Math.ceil(names.length / 4) }, (_, row) => names.slice(4 * row, 4 * row + 4));
  return [
    'Invalid format. Use: type[,addr[,timeout]]',
    ...rows.map((row, n) => {
      const lead = n === 0 ? '  Types: ' : '         ';
      return `${lead}${row.join(', ')}${n < rows.length - 1 ? ',' : ''}`;
    }),
    '  addr:  1-247 (required for Modbus mode)',
    '  timeout: seconds (default 1)',
  ].join('\n');
}
