/** Mutated JSON texts, as a hostile server or the author of a file could write them. */
import { type Draws, integerBetween } from '../../src/kernel/random.js';
import { oneIn, pick } from './draw.js';

const DEEP = '['.repeat(5000);

/** Values of wrong types, at limits, with names of prototypes, control characters and deep nesting. */
const VALUES = [
  ...['null', 'true', '-1', '1e308', '1e999', '9007199254740993', '""', '[]', '{}', '[null]', '[[]]', '{"id":5}'],
  ...['"__proto__"', '"constructor"', '"999999-99-99"', '"../../x"', '"\\u001b[2J\\u0007\\u202e"', '"a\\r\\nb"'],
  ...['{"__proto__":{"polluted":1}}', '{"toString":1,"length":1000000000}', `"${'9'.repeat(400)}"`],
  `${DEEP}${']'.repeat(DEEP.length)}`,
];

/** Texts that are no JSON. */
const BROKEN = ['', '{', '<html>', 'undefined', '\u0000', '[{"id":"x"', 'nul'];

/** The JSON text of `value` with some values replaced or removed. */
export function mutatedJson(random: Draws, value: unknown): string {
  if (oneIn(random, 10)) return pick(random, BROKEN);
  if (oneIn(random, 10)) return pick(random, VALUES);
  const texts: string[] = [];
  let copy: unknown = JSON.parse(JSON.stringify(value ?? null));
  do copy = withHole(random, copy, texts);
  while (!oneIn(random, 3));
  return texts.reduce((text, each, n) => text.replace(`"HOLE ${n}"`, () => each), JSON.stringify(copy));
}

/** Replaces one value inside `value` by a name, and adds the text for it to `texts`. */
function withHole(random: Draws, value: unknown, texts: string[]): unknown {
  const keys = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  if (keys.length === 0 || oneIn(random, 6)) return `HOLE ${texts.push(pick(random, VALUES)) - 1}`;
  const key = pick(random, keys);
  // The cast is safe because only objects and lists have keys.
  const inside = value as Record<string, unknown>;
  if (oneIn(random, 10) && !Array.isArray(inside)) delete inside[key];
  else inside[key] = withHole(random, inside[key], texts);
  return inside;
}

/** The lines of a file of JSON texts with some of them mutated, repeated, or removed. */
export function mutatedLines(random: Draws, lines: readonly string[]): readonly string[] {
  let changed = lines;
  do changed = changedLine(random, changed, integerBetween(random, 0, changed.length - 1));
  while (changed.length > 1 && !oneIn(random, 4));
  return changed;
}

function changedLine(random: Draws, lines: readonly string[], at: number): readonly string[] {
  const line = lines[at] ?? '';
  const draw = integerBetween(random, 1, 6);
  if (draw === 1) return lines.toSpliced(at, 1);
  if (draw === 2) return lines.toSpliced(integerBetween(random, 0, lines.length), 0, line);
  // A line that is nested deeply already could not be written again.
  return lines.with(at, mutatedJson(random, isJson(line) && !line.includes(DEEP) ? JSON.parse(line) : null));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
