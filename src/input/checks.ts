/**
 * Checks: functions that convert a value with its place in a file to a typed value, or note a problem with the expected form.
 *
 * A check returns undefined if it noted a problem. The caller then continues, so that all problems of a file are reported
 * together. A check can also have a form: a JSON Schema of the accepted values, for editors (profile/schema.ts). The form
 * accepts every value that the check accepts. It may accept more, because it lacks the rules that depend on other parts of a
 * file.
 */

import { parseRatio, RATIO_FORM, type Ratio } from '../kernel/ratio.js';
import { DURATION_FORM, formatDuration, LONGEST, lengthIn, type Millis, parseDuration } from '../kernel/time.js';
import type { LocatedNode, MapNode, Problems } from './document.js';
import { didYouMean, orList, quote } from './problems.js';

/** Reads one value; undefined if a problem was noted. */
export interface Check<T> {
  (node: LocatedNode, problems: Problems): T | undefined;
  /** JSON Schema of the value. Without a schema, editors accept any value. */
  readonly form?: () => Form;
}

/** A JSON Schema, or a part of one. */
export type Form = Readonly<Record<string, unknown>>;

/** Gives a check a form. */
export function formed<T>(form: () => Form, check: (node: LocatedNode, problems: Problems) => T | undefined): Check<T> {
  return Object.assign((node: LocatedNode, problems: Problems) => check(node, problems), { form });
}

export function formOf(check: Check<unknown>): Form {
  return check.form?.() ?? {};
}

/**
 * A check of a key's value, with what an editor shows about the key.
 * @param about what the key means and its default, in one sentence @param example a value that the check accepts
 */
export function describeKey<T>(about: string, example: unknown, check: Check<T>): Check<T> {
  return formed(() => ({ ...formOf(check), description: about, examples: [example] }), check);
}

/** A check that runs `check` and converts its value with `make`. It has the form of `check`. */
export function refine<A, B>(
  check: Check<A>,
  make: (value: A, node: LocatedNode, problems: Problems) => B | undefined,
): Check<B> {
  return formed(
    () => formOf(check),
    (node, problems) => {
      const value = check(node, problems);
      return value === undefined ? undefined : make(value, node, problems);
    },
  );
}

/** The type of the values of a check. */
export type Checked<C> = C extends Check<infer T> ? T : never;

/** Notes `"x" is not <wanted>`. */
export function complain(node: LocatedNode, problems: Problems, wanted: string): undefined {
  problems.add(node, `${show(node)} is not ${wanted}`);
  return undefined;
}

function show(node: LocatedNode): string {
  if (node.kind === 'list') return node.items.length === 0 ? 'an empty list' : 'a list';
  if (node.kind === 'map') return node.entries.size === 0 ? 'an empty map' : 'a map';
  if (node.value === null && node.source === '') return 'an empty value';
  // The value is quoted as the user wrote it: 0x1F, not 31.
  return quote(typeof node.value === 'string' ? node.value : node.source);
}

/** What YAML reads in the place of a text without quotation marks: `1.10`, `true`, `null`. */
const TYPES: Readonly<Record<string, string>> = { number: 'a number', boolean: 'a boolean', object: 'an empty value' };

const ANY_TEXT = 'a text';

/** A text that matches `pattern`; by default, one that is not blank. @param wanted description of such a text, for messages */
export function text(pattern: RegExp = /\S/, wanted = ANY_TEXT): Check<string> {
  return formed(
    () => ({ type: 'string', pattern: pattern.source }),
    (node, problems) => {
      const { value, source } = node.kind === 'scalar' ? node : { value: null, source: '' };
      if (typeof value === 'string' && pattern.test(value)) return value;
      if (typeof value === 'string' && wanted === ANY_TEXT)
        return complain(node, problems, 'a text with visible characters');
      const type = typeof value === 'string' || source === '~' ? undefined : TYPES[typeof value];
      if (type === undefined || !pattern.test(source)) return complain(node, problems, wanted);
      problems.add(node, `${source} is ${type}, not a text: put it in quotation marks, "${source}"`);
      return undefined;
    },
  );
}

/** Like {@link complain}, for a number: says so if its form is wrong, because the rule may hold for what is shown. */
function complainNumber(node: LocatedNode, problems: Problems, wanted: string): undefined {
  const { value, source } = node.kind === 'scalar' ? node : { value: null, source: '' };
  if (typeof value === 'string' && /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?$/i.test(value)) {
    problems.add(node, `${show(node)} is a text, not ${wanted}: leave out its quotation marks`);
    return undefined;
  }
  const isEndless = typeof value === 'number' && !Number.isFinite(value) && /\d/.test(source);
  return complain(node, problems, isEndless ? `${wanted}: it is too large` : wanted);
}

/** A whole number from `min` to `max`. */
export function integer(min: number, max: number, wanted = `a whole number from ${min} to ${max}`): Check<number> {
  return formed(
    () => ({ type: 'integer', minimum: min, maximum: max }),
    (node, problems) =>
      node.kind === 'scalar' &&
      typeof node.value === 'number' &&
      Number.isSafeInteger(node.value) &&
      node.value >= min &&
      node.value <= max
        ? node.value
        : complainNumber(node, problems, wanted),
  );
}

export function number(wanted = 'a number'): Check<number> {
  return formed(
    () => ({ type: 'number' }),
    (node, problems) =>
      node.kind === 'scalar' && typeof node.value === 'number' && Number.isFinite(node.value)
        ? node.value
        : complainNumber(node, problems, wanted),
  );
}

/** A number above 0. */
export const positiveNumber: Check<number> = refine(number('a number above 0'), (value, node, problems) =>
  value > 0 ? value : complain(node, problems, 'a number above 0'),
);

/** true or false. */
export const boolean: Check<boolean> = formed(
  () => ({ type: 'boolean' }),
  (node, problems) =>
    node.kind === 'scalar' && typeof node.value === 'boolean'
      ? node.value
      : complain(
          node,
          problems,
          `true or false${node.kind === 'scalar' ? didYouMean(node.source, ['true', 'false']) : ''}`,
        ),
);

/** A duration such as "15m", in milliseconds. */
export const duration: Check<Millis> = formed(
  // The number 0 is also a duration.
  () => ({ type: ['string', 'integer'], pattern: DURATION_PATTERN, minimum: 0, maximum: 0 }),
  (node, problems) => {
    const length = node.kind === 'scalar' ? lengthIn(node.source) : undefined;
    if (length === undefined) return complain(node, problems, DURATION_FORM);
    return length <= LONGEST ? length : complain(node, problems, `at most ${formatDuration(LONGEST)}`);
  },
);

/**
 * Two durations such as "150ms..900ms", the longer one last, or one for both.
 * @param expected for the message: `a latency such as "200ms"`
 */
export const durationRange = (expected: string): Check<readonly [Millis, Millis]> =>
  formed(
    () => ({ type: ['string', 'integer'], pattern: RANGE_PATTERN, minimum: 0, maximum: 0 }),
    (node, problems) => {
      const [first = '', last = first, ...more] = node.kind === 'scalar' ? node.source.split('..') : [];
      const shortest = parseDuration(first);
      const longest = parseDuration(last);
      if (more.length > 0 || shortest === undefined || longest === undefined) {
        return complain(node, problems, expected);
      }
      if (shortest > longest) {
        problems.add(node, `the shorter duration comes first: write ${quote(`${last}..${first}`)}`);
        return undefined;
      }
      return [shortest, longest];
    },
  );

/** A ratio such as "0.05", "5%" or "1/20". */
export const ratio: Check<Ratio> = formed(
  () => ({ type: ['string', 'number'], pattern: RATIO_PATTERN, minimum: 0, maximum: 1 }),
  (node, problems) => {
    const parsed = node.kind === 'scalar' ? parseRatio(node.source) : undefined;
    return parsed ?? complain(node, problems, RATIO_FORM);
  },
);

const DURATION_PATTERN = /^\s*(\d+(\.\d+)?(ms|s|m|h|d))+\s*$|^\s*0\s*$/.source;
const RANGE_PATTERN = /^\s*((\d+(\.\d+)?(ms|s|m|h|d))+|0)\s*(\.\.\s*((\d+(\.\d+)?(ms|s|m|h|d))+|0)\s*)?$/.source;
const RATIO_PATTERN = /^\s*(\d+(\.\d+)?\s*%|\d+\s*\/\s*\d+|(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?)\s*$/.source;

export function oneOf<const T extends string>(words: readonly T[]): Check<T> {
  return formed(
    // Without quotation marks, a word such as "2" is a number.
    () => ({ enum: words.flatMap((word) => (/^\d+$/.test(word) ? [word, Number(word)] : [word])) }),
    (node, problems) => {
      const value =
        node.kind === 'scalar' ? String(typeof node.value === 'number' ? node.source : node.value) : undefined;
      const found = words.find((word) => word === value);
      const wanted = words.length === 0 ? 'defined in this file' : `one of ${orList(words)}`;
      return found ?? complain(node, problems, `${wanted}${didYouMean(value ?? '', words)}`);
    },
  );
}

/** A list of `min` to `max` items, each read by `item`. */
export function list<T>(
  item: Check<T>,
  min = 0,
  max = Number.POSITIVE_INFINITY,
  wanted = listOf(min, max),
): Check<readonly T[]> {
  return formed(
    () => ({
      type: 'array',
      items: formOf(item),
      ...(min > 0 && { minItems: min }),
      ...(max < Number.POSITIVE_INFINITY && { maxItems: max }),
    }),
    (node, problems) => {
      if (node.kind !== 'list') return complain(node, problems, wanted);
      const { length } = node.items;
      if (length < min || length > max) {
        problems.add(node, `${length === 0 ? show(node) : `a list of ${length}`} is not ${wanted}`);
        return undefined;
      }
      const items = node.items.map((entry) => item(entry, problems));
      return items.every((entry) => entry !== undefined) ? (items as T[]) : undefined;
    },
  );
}

function listOf(min: number, max: number): string {
  if (max < Number.POSITIVE_INFINITY) return `a list of ${min} to ${max}`;
  return min > 0 ? `a list of at least ${min}` : 'a list';
}

/** A map with any keys; its values are read by `value`. Keeps the order of the keys. */
export function dictionary<T>(value: Check<T>): Check<ReadonlyMap<string, T>> {
  return formed(
    () => ({ type: 'object', additionalProperties: formOf(value) }),
    (node, problems) => {
      if (node.kind !== 'map') return complain(node, problems, 'a map of names to values');
      const result = new Map<string, T>();
      for (const [key, entry] of node.entries) {
        const read = value(entry.value, problems);
        if (read !== undefined) result.set(key, read);
      }
      return result.size === node.entries.size ? result : undefined;
    },
  );
}

/** Makes a key of {@link record} optional; `fallback` is the value of a missing key. */
export function optional<T>(check: Check<T>): OptionalCheck<T, undefined>;
export function optional<T, D>(check: Check<T>, fallback: D): OptionalCheck<T, D>;
export function optional<T>(check: Check<T>, fallback?: unknown): OptionalCheck<T, unknown> {
  return { optional: check, fallback };
}

/** The check of an optional key, and its default. */
export interface OptionalCheck<T, D> {
  readonly optional: Check<T>;
  readonly fallback: D;
}

/** The keys of a map, each with its check. */
type Shape = Readonly<Record<string, Check<unknown> | OptionalCheck<unknown, unknown>>>;

/** The type of the values that {@link record} reads with a shape. */
export type RecordOf<S extends Shape> = {
  readonly [K in keyof S]: S[K] extends OptionalCheck<infer T, infer D>
    ? T | D
    : S[K] extends Check<infer T>
      ? T
      : never;
};

/**
 * A map with the keys of `shape`. Unknown keys and missing required keys are problems.
 * @param what name of the map for messages, such as "a group"
 */
export function record<S extends Shape>(what: string, shape: S): Check<RecordOf<S>> {
  return formed(recordForm.bind(undefined, shape), (node, problems) => {
    if (node.kind !== 'map') return complain(node, problems, `${what}: a map with ${orList(Object.keys(shape))}`);
    const before = problems.list.length;
    rejectUnknownKeys(node, Object.keys(shape), what, problems);
    const result: Record<string, unknown> = {};
    for (const [key, rule] of Object.entries(shape)) {
      const entry = node.entries.get(key);
      const check = typeof rule === 'function' ? rule : rule.optional;
      if (entry) result[key] = check(entry.value, problems);
      else if (typeof rule === 'function') problems.add(node, `${what} needs "${key}"`);
      else result[key] = rule.fallback;
    }
    // The cast is safe because each key was read by the rule that determines its type.
    return problems.list.length === before ? (result as RecordOf<S>) : undefined;
  });
}

function recordForm(shape: Shape): Form {
  const rules = Object.entries(shape);
  const required = rules.flatMap(([key, rule]) => (typeof rule === 'function' ? [key] : []));
  return {
    type: 'object',
    properties: Object.fromEntries(
      rules.map(([key, rule]) => [key, formOf(typeof rule === 'function' ? rule : rule.optional)]),
    ),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

/** The result of {@link readVariant}; an invalid part is undefined. */
interface Variant<S extends Shape, K extends string> {
  readonly common: RecordOf<S> | undefined;
  readonly kind: K | undefined;
  /** The unchecked value of the key `kind`; the whole map if `kind` is undefined. */
  readonly options: LocatedNode;
}

/**
 * Reads a map with the keys of `shape` and exactly one key of `kinds`, such as `{ at: 1h, shell: sample }`. The value of that
 * key has the options of the kind.
 * @param what name of the map for messages, such as "a step"
 */
export function readVariant<S extends Shape, K extends string>(
  what: string,
  shape: S,
  kinds: readonly K[],
  node: MapNode,
  problems: Problems,
): Variant<S, K> {
  const commonKeys = Object.keys(shape);
  const known: readonly string[] = [...commonKeys, ...kinds];
  rejectUnknownKeys(node, known, what, problems);
  const commonEntries = new Map([...node.entries].filter(([key]) => commonKeys.includes(key)));
  const common = record(what, shape)({ ...node, entries: commonEntries }, problems);
  const found = kinds.filter((kind) => node.entries.has(kind));
  // An unknown key is probably a misspelt kind; one message about it is enough.
  const misspelt = found.length === 0 && [...node.entries.keys()].some((key) => !known.includes(key));
  if (found.length !== 1 && !misspelt) {
    const has = found.length === 0 ? 'none of them' : found.map(quote).join(' and ');
    problems.add(node, `${what} needs exactly one of ${kinds.join(', ')}; this one has ${has}`);
  }
  const kind = found.length === 1 ? found[0] : undefined;
  return { common, kind, options: valueAt(node, kind ?? '') };
}

/** The form of {@link readVariant}. @param kinds the forms of the options of each kind */
export function variantForm(shape: Shape, kinds: Readonly<Record<string, Form>>): Form {
  const { properties, ...common } = recordForm(shape);
  // The cast is safe because the properties of recordForm are forms.
  const all = { ...(properties as Readonly<Record<string, Form>>), ...kinds };
  return { ...common, properties: all, oneOf: Object.keys(kinds).map((kind) => ({ required: [kind] })) };
}

export function eitherForm(...forms: readonly Form[]): Form {
  return { anyOf: forms };
}

/** A value that users write either in short, such as `5%`, or as a map of options, such as `{ ratio: 5%, by: 3s }`. */
export function shortOrMap<T>(short: Check<T>, map: Check<T>): Check<T> {
  return formed(
    () => eitherForm(formOf(short), formOf(map)),
    (node, problems) => (node.kind === 'map' ? map : short)(node, problems),
  );
}

/** The place for a message about `key`: the value of this key in a map, or the node itself if it has no such key. */
export function valueAt(node: LocatedNode, key: string): LocatedNode {
  const value = node.kind === 'map' ? node.entries.get(key)?.value : undefined;
  return value ?? node;
}

/** Notes every key of `node` that is not one of `known`. */
export function rejectUnknownKeys(node: MapNode, known: readonly string[], what: string, problems: Problems): void {
  for (const [key, entry] of node.entries) {
    if (known.includes(key)) continue;
    problems.add(
      entry.key,
      `${quote(key)} is not a key of ${what}${didYouMean(key, known)}; it has ${known.join(', ')}`,
    );
  }
}
