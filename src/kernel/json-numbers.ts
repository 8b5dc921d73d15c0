/** Numbers in JSON text that JavaScript does not keep: from 2^53, every digit counts; smaller fractions have 17. */

import { endOfText } from './json-size.js';

/** Longer numbers from 2^53 are never kept: a double has at most 309 digits before the point. */
const LONGEST = 400;

/** Matches every text with such a number. Few texts match, and only these are searched. */
const POSSIBLE = /\d{16}|\d[eE]/;

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/**
 * The numbers that would be changed, as they are written, up to {@link MOST_SHOWN} and one more; the text need not be valid
 * JSON.
 */
export function changedNumbers(text: string): readonly string[] {
  const changed: string[] = [];
  for (const { number } of findChanged(text)) {
    changed.push(number);
    if (changed.length > MOST_SHOWN) break;
  }
  return changed;
}

/** The text with these numbers as texts, so that none of their digits is lost. */
export function quoteChangedNumbers(text: string): string {
  let quoted = '';
  let end = 0;
  for (const { at, number } of findChanged(text)) {
    quoted += `${text.slice(end, at)}"${number}"`;
    end = at + number.length;
  }
  return end === 0 ? text : quoted + text.slice(end);
}

/** The numbers that would be changed, and where they begin. */
function* findChanged(text: string): Generator<{ readonly at: number; readonly number: string }> {
  if (!POSSIBLE.test(text)) return;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) at = endOfText(text, at);
    else if (unit === MINUS || (unit >= ZERO && unit <= NINE)) {
      NUMBER.lastIndex = at;
      const [number = ''] = NUMBER.exec(text) ?? [];
      if (number !== '' && !isKept(number)) yield { at, number };
      at += Math.max(0, number.length - 1);
    }
  }
}

/** Whether a number in the syntax of JSON keeps its value as a JavaScript number, and as JSON made from it. */
export function isKept(number: string): boolean {
  const value = Number(number);
  // First what most numbers are, because a body of a megabyte has a hundred thousand of them.
  if ((value !== 0 && Math.abs(value) <= Number.MAX_SAFE_INTEGER) || String(value) === number) return true;
  const [mantissa = ''] = number.split(/[eE]/, 1);
  if (value === 0) return !/[1-9]/.test(mantissa);
  if (!Number.isFinite(value) || number.length > LONGEST) return false;
  const { digits, power } = decimal(number);
  // A number with a point or an exponent is a measurement: its digits have to be those of the double, rounded to as many.
  const isWhole = mantissa === number && !mantissa.includes('.');
  const kept = decimal(isWhole ? String(value) : value.toPrecision(Math.min(100, Math.max(1, digits.length))));
  return kept.digits === digits && kept.power === power;
}

/** The significant digits, and the power of ten of the last one. */
function decimal(number: string): { readonly digits: string; readonly power: number } {
  const [mantissa = '', exponent = '0'] = number.replace(/^[-+]/, '').split(/[eE]/);
  const [whole = '', fraction = ''] = mantissa.split('.');
  const all = (whole + fraction).replace(/^0+/, '');
  const digits = all.replace(/(?<!0)0+$/, '');
  return { digits, power: Number(exponent) - fraction.length + all.length - digits.length };
}

/** The message about the numbers in a JSON text that would be changed; undefined for a text without such numbers. */
export function changedNumbersIn(text: string): string | undefined {
  const changed = changedNumbers(text);
  if (changed.length === 0) return undefined;
  const shown = changed.slice(0, MOST_SHOWN).map((number) => (number.length > 40 ? `${number.slice(0, 37)}…` : number));
  const more = changed.length > MOST_SHOWN ? ' and others' : '';
  return `${shown.join(', ')}${more} cannot be kept exactly as a number; write it as a text in quotation marks`;
}

const MOST_SHOWN = 10;

const QUOTE = 0x22;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
