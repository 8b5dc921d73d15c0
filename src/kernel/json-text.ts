/**
 * Reads JSON text that others wrote. Of requests and files of users, text that could not be kept as it is written has faults: a
 * key that is used twice in an object, texts that are not Unicode, keys that change prototypes, and numbers (json-numbers.ts).
 */
import { changedNumbersIn } from './json-numbers.js';
import { DEPTH_LIMIT, isTooDeep, sizeOf, TOO_DEEP } from './json-size.js';
import type { UnixMillis } from './time.js';

/**
 * The value of a JSON text of another program, or of a file that another user may have written. JSON.parse reads any depth, but
 * the code that handles the value is recursive.
 * @returns undefined if the text is not JSON, or has more levels than the limit
 */
export function foreignJson(text: string, limit = DEPTH_LIMIT): unknown {
  try {
    return isTooDeep(text, limit) ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a value of a JSON text is an object: neither null nor a list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The number of a value of a JSON text, which may also be a text; NaN for others: `Number` fails for some objects. */
export function foreignNumber(value: unknown): number {
  return typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
}

/** The time of a value of a JSON text; NaN if it is not a text with a time: `Date.parse` fails for some objects. */
export function foreignTime(value: unknown): UnixMillis {
  return typeof value === 'string' ? Date.parse(value) : Number.NaN;
}

/** What is wrong with a JSON text. */
export interface JsonFault {
  /** `inexact-number` stands for all such numbers of the text. */
  readonly code:
    | 'too-deep'
    | 'too-many-values'
    | 'inexact-number'
    | 'invalid-unicode'
    | 'duplicate-key'
    | 'forbidden-key';
  /** Offset of the key or value in the text. */
  readonly at: number;
  /** Keys and indexes that lead to the object, list or value at fault. */
  readonly path: readonly (string | number)[];
  /** Completes a sentence that begins with the path, such as `is not valid Unicode: …`. */
  readonly message: string;
}

/** `faults` is empty if the text is not JSON at all. */
type JsonReading = { readonly value: unknown } | { readonly faults: readonly JsonFault[] };

/** Limits of keys in all objects of a text, and of values in all its objects and lists. */
const MOST_KEYS = 10_000;
const MOST_VALUES = 50_000;

/**
 * Parses JSON text, or names everything in it that could not be kept. Text with more than {@link MOST_KEYS} or
 * {@link MOST_VALUES} is not parsed: a megabyte of keys would take 0.1 s, in which a service answers no other request.
 */
export function parseJson(text: string): JsonReading {
  const whole = (code: JsonFault['code'], message: string) => ({ faults: [{ code, at: 0, path: [], message }] });
  const { depth, keys, values } = sizeOf(text);
  if (depth > DEPTH_LIMIT) return whole('too-deep', TOO_DEEP);
  if (keys > MOST_KEYS) return whole('too-many-values', `has ${keys} keys; the limit is ${MOST_KEYS}`);
  if (values > MOST_VALUES) return whole('too-many-values', `has ${values} values; the limit is ${MOST_VALUES}`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { faults: [] };
  }
  const faults = keysIn(value) === keys ? [] : faultsIn(text);
  const numbers = changedNumbersIn(text);
  if (numbers !== undefined) faults.push({ code: 'inexact-number', at: 0, path: [], message: numbers });
  return faults.length === 0 ? { value } : { faults };
}

const PLAIN = '[^"\\\\\\x00-\\x1f]*';
/** A text up to its last quotation mark, or to the character that it cannot have. */
const TEXT = new RegExp(`"${PLAIN}(?:\\\\(?:["\\\\/bfnrt]|u[\\da-fA-F]{4})${PLAIN})*`, 'y');
const SCALAR = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y;
const BLANK = /[ \t\r\n]*/y;

/**
 * Where a text that is not valid JSON has its first mistake, such as `unexpected "}" at line 1, column 14`. Shows one
 * character only, because the text may contain secrets.
 */
export function syntaxErrorIn(text: string): string {
  const at = firstMistake(text);
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  const place = `line ${line}, column ${at - before.lastIndexOf('\n')}`;
  if (at >= text.length) return `it ends at ${place}, before it is complete`;
  return `unexpected ${JSON.stringify(String.fromCodePoint(text.codePointAt(at) ?? 0))} at ${place}`;
}

/** Offset of the first character that valid JSON cannot have there. The text has at most {@link DEPTH_LIMIT} levels. */
function firstMistake(text: string): number {
  let at = text.startsWith('\ufeff') ? 1 : 0;
  const skip = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const isThere = pattern.test(text);
    if (isThere) at = pattern.lastIndex;
    return isThere;
  };
  const takeHere = (sign: string): boolean => {
    const isThere = text[at] === sign;
    if (isThere) at++;
    return isThere;
  };
  const take = (sign: string) => skip(BLANK) && takeHere(sign);
  const takeText = () => skip(BLANK) && skip(TEXT) && takeHere('"');
  const takeAll = (takeOne: () => boolean, end: string): boolean => {
    if (take(end)) return true;
    do if (!takeOne()) return false;
    while (take(','));
    return take(end);
  };
  const takeValue = (): boolean => {
    if (take('{')) return takeAll(() => takeText() && take(':') && takeValue(), '}');
    if (take('[')) return takeAll(takeValue, ']');
    return text[at] === '"' ? takeText() : skip(SCALAR);
  };
  if (takeValue()) skip(BLANK);
  return at;
}

/** Why a text is refused that is not Unicode. Encoded as UTF-8, it would be another text. */
export const NOT_UNICODE = 'is not valid Unicode: it contains half of a surrogate pair';

/** The faults of the texts and keys of a JSON text that is not nested too deeply, in the order of the text. */
export function faultsIn(text: string): JsonFault[] {
  const faults: JsonFault[] = [];
  const open: Frame[] = [];
  for (const { 0: token, index: at } of text.matchAll(TOKEN)) {
    const frame = open.at(-1);
    if (token === '{' || token === '[') open.push(frameOf(token));
    else if (token === '}' || token === ']') open.pop();
    else if (token === ',') frame?.next();
    else if (token.startsWith('"')) {
      const value: string = JSON.parse(token);
      const path = open.map(({ step }) => step);
      if (frame?.isKey) faults.push(...faultsOfKey(value, frame, path.slice(0, -1), at));
      else if (!value.isWellFormed()) faults.push({ code: 'invalid-unicode', at, path, message: NOT_UNICODE });
    }
  }
  return faults;
}

function faultsOfKey(key: string, frame: Frame, path: JsonFault['path'], at: number): JsonFault[] {
  const times = (frame.keys.get(key) ?? 0) + 1;
  frame.keys.set(key, times);
  frame.step = key;
  frame.isKey = false;
  const faults: JsonFault[] = [];
  const note = (code: JsonFault['code'], message: string) => faults.push({ code, at, path, message });
  if (!key.isWellFormed()) note('invalid-unicode', `has a key that ${NOT_UNICODE}`);
  if (times === 2) note('duplicate-key', `has the key ${shown(key)} more than once`);
  const forbidden = forbiddenKey(key, path.at(-1));
  if (forbidden !== undefined) note('forbidden-key', `has the forbidden key ${forbidden}`);
  return faults;
}

/**
 * A key that changes prototypes, for a message; undefined for all other keys.
 * @param parent key of the object with this key
 */
export function forbiddenKey(key: string, parent: string | number | undefined): string | undefined {
  if (key === '__proto__') return '"__proto__"';
  return key === 'prototype' && parent === 'constructor' ? '"prototype" in "constructor"' : undefined;
}

/** An array or object whose end has not come. */
interface Frame {
  /** How often each key has come. */
  readonly keys: Map<string, number>;
  /** The last key or index. */
  step: string | number;
  /** Whether the next text is a key. */
  isKey: boolean;
  /** Goes on after a comma. */
  next(): void;
}

function frameOf(bracket: '{' | '['): Frame {
  const frame: Frame = {
    keys: new Map(),
    step: 0,
    isKey: bracket === '{',
    next() {
      if (typeof frame.step === 'number') frame.step++;
      else frame.isKey = true;
    },
  };
  return frame;
}

/** The tokens of valid JSON. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"?|[[\]{},:]|[^\s"[\]{},:]+/g;

/** The number of keys; undefined if a text or key is at fault. If it equals the text's, no slower search is needed. */
function keysIn(value: unknown): number | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? 0 : undefined;
  if (typeof value !== 'object' || value === null) return 0;
  const keys = Array.isArray(value) ? [] : Object.keys(value);
  if (keys.some((key) => !key.isWellFormed() || key === '__proto__' || key === 'prototype')) return undefined;
  let all = keys.length;
  for (const entry of Array.isArray(value) ? value : Object.values(value)) {
    const inside = keysIn(entry);
    if (inside === undefined) return undefined;
    all += inside;
  }
  return all;
}

function shown(key: string): string {
  return JSON.stringify(key.length > 60 ? `${key.slice(0, 59)}…` : key);
}
