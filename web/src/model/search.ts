/** The search of the fleet: a selector as in scenarios, in which a word is a part of a name, a serial number or a tag. */

import { foldCase } from '../../../src/kernel/fold-case.js';
import { seededRandom } from '../../../src/kernel/random.js';
import type { SelectableDevice } from '../../../src/scenario/selector/device.js';
import { parseSelector, SelectorError } from '../../../src/scenario/selector/grammar.js';
import { makeMatcher } from '../../../src/scenario/selector/match.js';
import { nameSelector, type Selector } from '../../../src/scenario/selector/selector.js';
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
    // Also a selector, but without the work for each row.
    if (selector.kind === 'word' && isPart(selector.word)) return { ...ALL, matches: containing(wanted) };
    const devices = { [Symbol.iterator]: () => rows.map(selectable).values() };
    const word = (text: string) => (isPart(text) ? containing(text) : undefined);
    const matches = makeMatcher(selector, { devices, random: seededRandom('console'), word });
    return { matches: (row) => matches(selectable(row)), failure: '' };
  } catch (error) {
    if (error instanceof SelectorError) return { ...ALL, failure: error.message };
    throw error;
  }
}

/**
 * Translates the text of a search into a selector for the run, which matches the same devices. A text that is not a selector is
 * returned unchanged, so that the run reports the error.
 */
export function runSelector(text: string): string {
  const wanted = text.trim();
  try {
    return nameSelector(widened(parseSelector(wanted)));
  } catch {
    return wanted;
  }
}

/** The selector of scenarios with the words of the search. */
function widened(to: Selector): Selector {
  switch (to.kind) {
    case 'word': {
      if (!isPart(to.word)) return to;
      const part = `*${to.word}*`;
      const tag = { kind: 'field', field: 'tag', operator: '=', value: part } as const;
      return { kind: 'or', parts: [{ kind: 'word', word: part }, tag] };
    }
    case 'not':
    case 'sample':
      return { ...to, of: widened(to.of) };
    case 'and':
    case 'or':
      return { ...to, parts: to.parts.map(widened) };
    default:
      return to;
  }
}

/** Whether a word is a part of a name, a serial number or a tag. */
function isPart(word: string): boolean {
  return !/[*"]/.test(word);
}

function containing(text: string): (device: Pick<Row, 'name' | 'tags'> & { serial: string | number }) => boolean {
  const part = foldCase(text);
  return ({ name, serial, tags }) =>
    String(serial).includes(part) || [name, ...tags].some((word) => foldCase(word).includes(part));
}

/** The text with a condition added to it, or removed if it has it. @param alternatives conditions that it replaces */
export function toggled(text: string, condition: string, alternatives: readonly string[]): string {
  const rest = [condition, ...alternatives].reduce(without, text.trim());
  if (has(text, condition)) return rest;
  return rest === '' ? condition : `${hasOpenOr(rest) ? `(${rest})` : rest}${AND}${condition}`;
}

/** Whether all devices of a search have to meet a condition. */
export function has(text: string, condition: string): boolean {
  return !hasOpenOr(text) && `${AND}${text.trim()}${AND}`.includes(`${AND}${condition}${AND}`);
}

const AND = ' & ';

function without(text: string, condition: string): string {
  if (!has(text, condition)) return text;
  return `${AND}${text}${AND}`.replace(`${AND}${condition}${AND}`, AND).slice(AND.length, -AND.length);
}

/** Whether a text has an "or" outside parentheses and quotation marks. */
function hasOpenOr(text: string): boolean {
  const plain = text.replaceAll(/"[^"]*"|'[^']*'/g, '');
  let depth = 0;
  for (const sign of plain) {
    if (sign === '(') depth++;
    else if (sign === ')') depth--;
    else if (sign === '|' && depth === 0) return true;
  }
  return false;
}

/** The properties of a device for selectors. Its group is its name without the number at the end. */
function selectable({ name, serial, profile, region, tags, firmware }: Row): SelectableDevice {
  const [, group = name, number = '0'] = /^(.+)-(\d{4,})$/.exec(name) ?? [];
  return {
    ...{ name, serial: Number(serial), group, number: Number(number), region, profile, tags },
    ...(firmware !== '' && { fw: firmware }),
  };
}
