/** The search of the fleet: a part of a name or serial number, or a selector as in scenarios. */

import { foldCase } from '../../../src/kernel/fold-case.js';
import { seededRandom } from '../../../src/kernel/random.js';
import type { SelectableDevice } from '../../../src/scenario/selector/device.js';
import { parseSelector, SelectorError } from '../../../src/scenario/selector/grammar.js';
import { makeMatcher } from '../../../src/scenario/selector/match.js';
import type { Row } from './fleet.js';

export interface Search {
  /** Undefined for a device that cannot be compared, such as one whose firmware is "nightly" with a version. */
  readonly matches: (row: Row) => boolean | undefined;
  /** Error in the text as a selector, in which case all devices match; empty without an error. */
  readonly failure: string;
}

/** Matches every device. */
export const EVERY = (): boolean => true;
const ALL: Search = { matches: EVERY, failure: '' };
/** Fields of devices that the API does not show. */
const UNKNOWN = /(?:^|[\s(&|!])(battery|state)\s*(?:[<>=]|!=)/;

/** Whether a selector has a field that only a run knows. */
export function needsRun(text: string): boolean {
  return UNKNOWN.test(text);
}

/** What a run has answered for a selector that {@link needsRun}. */
interface Answer {
  readonly serials: ReadonlySet<string>;
  readonly failure: string;
}

/**
 * @param tags names of all tags
 * @param rows rows of the fleet, from which samples (`10%`) are drawn
 * @param ofRun undefined without a run
 */
export function searchFor(text: string, tags: readonly string[], rows: readonly Row[], ofRun?: Answer): Search {
  const wanted = text.trim();
  if (wanted === '') return ALL;
  const [, field] = UNKNOWN.exec(wanted) ?? [];
  if (field && !ofRun) return { ...ALL, failure: `"${field}" is known only for virtual devices in a run` };
  if (field && ofRun) {
    const { serials, failure } = ofRun;
    return failure === '' ? { matches: ({ serial }) => serials.has(serial), failure } : { ...ALL, failure };
  }
  try {
    const selector = parseSelector(wanted, tags);
    if (selector.kind === 'word' && !wanted.includes('*')) return { ...ALL, matches: containing(wanted) };
    const devices = { [Symbol.iterator]: () => rows.map(selectable).values() };
    const matches = makeMatcher(selector, { devices, random: seededRandom('console') });
    return { matches: (row) => matches(selectable(row)), failure: '' };
  } catch (error) {
    if (error instanceof SelectorError) return { ...ALL, failure: error.message };
    throw error;
  }
}

/**
 * Translates the text of a search into a selector for the run. A single word matches a part of a name, a serial number or a
 * tag, as in the search. A text that is not a selector is returned unchanged, so that the run reports the error.
 */
export function runSelector(text: string): string {
  const wanted = text.trim();
  try {
    const selector = parseSelector(wanted);
    const isPart = selector.kind === 'word' && !/[*"]/.test(selector.word);
    return isPart ? `"*${selector.word}*" | tag="*${selector.word}*"` : wanted;
  } catch {
    return wanted;
  }
}

function containing(text: string): (row: Row) => boolean {
  const part = foldCase(text);
  return ({ name, serial, tags }) =>
    serial.includes(part) || [name, ...tags].some((word) => foldCase(word).includes(part));
}

/** The properties of a device for selectors. Its group is its name without the number at the end. */
function selectable({ name, serial, profile, region, tags, firmware }: Row): SelectableDevice {
  const [, group = name, number = '0'] = /^(.+)-(\d{4,})$/.exec(name) ?? [];
  return {
    ...{ name, serial: Number(serial), group, number: Number(number), region, profile, tags },
    ...(firmware !== '' && { fw: firmware }),
  };
}
