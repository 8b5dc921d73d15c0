/** The LTE module's own checks (firmware shell, 3.4): what is wrong with a text, or undefined when it is fine. */
import type { StringCheck } from '../../profile/parameters.js';

export const STRING_CHECKERS: Readonly<Record<StringCheck, (text: string) => string | undefined>> = {
  'lte-mode': checkMode,
  'lte-bands': checkBands,
  'lte-network': checkNetwork,
};

const BANDS: ReadonlySet<number> = new Set([1, 2, 3, 4, 5, 8, 12, 13, 17, 18, 19, 20, 25, 26, 28, 66]);

/** A list of radio technologies: `lte-m,nb-iot`. */
function checkMode(text: string): string | undefined {
  let rest = text;
  while (true) {
    const mode = /^(?:lte-m|nb-iot)/.exec(rest);
    if (!mode) return 'invalid mode';
    rest = rest.slice(mode[0].length);
    if (rest === '') return undefined;
    if (!rest.startsWith(',')) return 'expected comma';
    rest = rest.slice(1);
  }
}

/** A list of bands: `8,20`; empty for all. */
function checkBands(text: string): string | undefined {
  if (text === '') return undefined;
  let rest = text;
  while (true) {
    const number = /^\d+/.exec(rest);
    const band = Number(number?.[0]);
    if (!number || band > 255) return 'invalid number format';
    if (!BANDS.has(band)) return `band ${band} is not supported`;
    rest = rest.slice(number[0].length);
    if (rest === '') return undefined;
    if (!rest.startsWith(',')) return `expected comma after ${band}`;
    rest = rest.slice(1);
  }
}

/** A network's number (PLMN); empty for any. */
function checkNetwork(text: string): string | undefined {
  if (text === '') return undefined;
  if (text.length < 5 || text.length > 6) return 'must be "" or PLMN ID (format: 5-6 digits)';
  return /^\d+$/.test(text) ? undefined : 'PLMN ID must be digits';
}
