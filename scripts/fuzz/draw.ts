/** Draws items of lists, and texts that match a pattern. */
import { chance, type Draws, integerBetween } from '../../src/kernel/random.js';

/** An item of a list, which must not be empty. */
export function pick<T>(random: Draws, list: readonly T[]): T {
  // The cast is safe because the index lies within the list.
  return list[integerBetween(random, 0, list.length - 1)] as T;
}

/** An item of a list in which each item has a weight. */
export function pickWeighted<T>(random: Draws, entries: readonly (readonly [number, T])[]): T {
  const total = entries.reduce((sum, [weight]) => sum + weight, 0);
  let left = random.next() * total;
  for (const [weight, value] of entries) {
    left -= weight;
    if (left < 0) return value;
  }
  return pick(random, entries)[1];
}

/**
 * A text that matches a simple pattern: literals, escapes, classes, and `{n}`, `{n,m}`, `?`, `*`, `+` after them. Other syntax
 * is used literally; the service then rejects the text, which is also a valid test.
 */
export function textMatching(random: Draws, pattern: string): string {
  const parts = pattern.replace(/^\^/, '').replace(/\$$/, '');
  const part = /(\\[dws]|\\x[0-9a-f]{2}|\\.|\[[^\]]+\]|.)(\{\d+(?:,\d*)?\}|[?*+])?/gi;
  let text = '';
  for (const [, atom = '', times = ''] of parts.matchAll(part)) {
    const [least, most] = countsOf(times);
    const characters = charactersOf(atom);
    for (let n = integerBetween(random, least, most); n > 0; n--) text += pick(random, characters);
  }
  return text;
}

function countsOf(times: string): readonly [number, number] {
  if (times === '?') return [0, 1];
  if (times === '*') return [0, 8];
  if (times === '+') return [1, 8];
  const [, least, comma, most] = /^\{(\d+)(,?)(\d*)\}$/.exec(times) ?? [];
  if (least === undefined) return [1, 1];
  const from = Number(least);
  if (comma === '') return [from, from];
  return [from, most === '' ? from + 8 : Math.min(Number(most), from + 64)];
}

function charactersOf(atom: string): readonly string[] {
  if (atom === '\\d') return [...'0123456789'];
  if (atom === '\\w') return [...'abcXYZ019_'];
  if (atom === '.') return [...'aZ0 -_é'];
  if (!atom.startsWith('[')) return [unescaped(atom)];
  const members: string[] = [];
  const inner = atom.slice(1, -1).match(/\\x[0-9a-f]{2}|\\.|[^\\]/gi) ?? [];
  for (let at = 0; at < inner.length; at++) {
    const first = unescaped(inner[at] ?? '');
    if (inner[at + 1] !== '-' || at + 2 >= inner.length) {
      members.push(...(inner[at] === '\\d' ? '0123456789' : first));
      continue;
    }
    const last = unescaped(inner[at + 2] ?? '').charCodeAt(0);
    for (let code = first.charCodeAt(0); code <= last; code++) members.push(String.fromCharCode(code));
    at += 2;
  }
  return members.length > 0 ? members : ['^'];
}

function unescaped(atom: string): string {
  const hex = /^\\x([0-9a-f]{2})$/i.exec(atom)?.[1];
  if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
  return atom.startsWith('\\') ? atom.slice(1) : atom;
}

/** True one time in `n`. */
export function oneIn(random: Draws, n: number): boolean {
  return chance(random, 1 / n);
}
