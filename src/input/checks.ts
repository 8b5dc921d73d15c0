/**
 * Checks: from a located value to a typed one, or to problems that say what was wanted.
 *
 * A check returns undefined when it has noted a problem; the caller goes on, so that all problems of a file come out
 * together. It also knows the form of what it takes, as JSON Schema, from which schemas for editors are made (profile/schema.ts). The form
 * may be wider than the check, never narrower: what depends on other parts of a file is not in it.
 */

import { parseRatio, RATIO_FORM, type Ratio } from '../kernel/ratio.js';
import { DURATION_FORM, type Millis, parseDuration } from '../kernel/time.js';
import type { LocatedNode, MapNode, Problems } from './document.js';
import { didYouMean, orList, quote } from './problems.js';

/** Reads one value; undefined when it was not what was wanted. */
export interface Check<T> {
  (node: LocatedNode, problems: Problems): T | undefined;
  /** What the value looks like, as JSON Schema; left out: like anything. */
  readonly form?: () => Form;
}

/** A JSON Schema, or a part of one. */
export type Form = Readonly<Record<string, unknown>>;

/** Gives a check a form. */
export function formed<T>(form: () => Form, check: (node: LocatedNode, problems: Problems) => T | undefined): Check<T> {
  return Object.assign((node: LocatedNode, problems: Problems) => check(node, problems), { form });
}

/** The form of a check. */
export function formOf(check: Check<unknown>): Form {
  return check.form?.() ?? {};
}

/** Makes something else of what a check has read; the form stays. */
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

/** The type that a check yields. */
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
  // As the user wrote it: 0x1F, not 31.
  return quote(typeof node.value === 'string' ? node.value : node.source);
}

/** A non-empty text; `pattern` with `wanted` narrows it. */
export function text(pattern: RegExp = /\S/, wanted = 'a text'): Check<string> {
  return formed(
    () => ({ type: 'string', pattern: pattern.source }),
    (node, problems) =>
      node.kind === 'scalar' && typeof node.value === 'string' && pattern.test(node.value)
        ? node.value
        : complain(node, problems, wanted),
  );
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
        : complain(node, problems, wanted),
  );
}

/** A finite number. */
export function number(wanted = 'a number'): Check<number> {
  return formed(
    () => ({ type: 'number' }),
    (node, problems) =>
      node.kind === 'scalar' && typeof node.value === 'number' && Number.isFinite(node.value)
        ? node.value
        : complain(node, problems, wanted),
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
    node.kind === 'scalar' && typeof node.value === 'boolean' ? node.value : complain(node, problems, 'true or false'),
);

/** A duration such as "15m", in milliseconds. */
export const duration: Check<Millis> = formed(
  // A bare 0 is a duration, too.
  () => ({ type: ['string', 'integer'], pattern: DURATION_PATTERN, minimum: 0, maximum: 0 }),
  (node, problems) => {
    const parsed = node.kind === 'scalar' ? parseDuration(node.source) : undefined;
    return parsed ?? complain(node, problems, DURATION_FORM);
  },
);

/** A ratio such as "1/20" or "5%". */
export const ratio: Check<Ratio> = formed(
  () => ({ type: ['string', 'integer'], pattern: RATIO_PATTERN, minimum: 0, maximum: 1 }),
  (node, problems) => {
    const parsed = node.kind === 'scalar' ? parseRatio(node.source) : undefined;
    return parsed ?? complain(node, problems, RATIO_FORM);
  },
);

const DURATION_PATTERN = /^\s*(\d+(\.\d+)?(ms|s|m|h|d))+\s*$|^\s*0\s*$/.source;
const RATIO_PATTERN = /^\s*(\d+(\.\d+)?\s*%|\d+\s*\/\s*\d+|[01])\s*$/.source;

/** One of the given words. */
export function oneOf<const T extends string>(words: readonly T[]): Check<T> {
  return formed(
    // A word such as "2" is a number when it is not quoted.
    () => ({ enum: words.flatMap((word) => (/^\d+$/.test(word) ? [word, Number(word)] : [word])) }),
    (node, problems) => {
      const value = node.kind === 'scalar' ? String(node.value) : undefined;
      const found = words.find((word) => word === value);
      return found ?? complain(node, problems, `one of ${orList(words)}${didYouMean(value ?? '', words)}`);
    },
  );
}

/** A list whose items all pass `item`; from `min` to `max` of them. */
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

/** A map of any keys whose values pass `value`; insertion order is kept. */
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

/** Makes a key of {@link record} optional, with a value for when it is missing. */
export function optional<T>(check: Check<T>): OptionalCheck<T, undefined>;
export function optional<T, D>(check: Check<T>, fallback: D): OptionalCheck<T, D>;
export function optional<T>(check: Check<T>, fallback?: unknown): OptionalCheck<T, unknown> {
  return { optional: check, fallback };
}

/** A key that may be missing, and what it then stands for. */
export interface OptionalCheck<T, D> {
  readonly optional: Check<T>;
  readonly fallback: D;
}

/** The keys of a map, each with its check. */
type Shape = Readonly<Record<string, Check<unknown> | OptionalCheck<unknown, unknown>>>;

/** What {@link record} yields for a shape. */
export type RecordOf<S extends Shape> = {
  readonly [K in keyof S]: S[K] extends OptionalCheck<infer T, infer D>
    ? T | D
    : S[K] extends Check<infer T>
      ? T
      : never;
};

/** A map with exactly the keys of `shape`. Unknown and missing keys are problems. `what` names the thing: "a group". */
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
    // Because each key was checked by the rule that its type is derived from.
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

/** What {@link readVariant} found; a part that was wrong is undefined. */
interface Variant<S extends Shape, K extends string> {
  readonly common: RecordOf<S> | undefined;
  readonly kind: K | undefined;
  /** What stands under the key `kind`; not checked yet. */
  readonly options: LocatedNode;
}

/**
 * Reads a map with the keys of `shape` and exactly one of `kinds`, whose value are the options of that kind:
 * `{ at: 1h, shell: sample }`. `what` names the thing: "a step".
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
  // An unknown key was meant to be the kind; one complaint about it is enough.
  const misspelt = found.length === 0 && [...node.entries.keys()].some((key) => !known.includes(key));
  if (found.length !== 1 && !misspelt) {
    const has = found.length === 0 ? 'none of them' : found.map(quote).join(' and ');
    problems.add(node, `${what} needs exactly one of ${kinds.join(', ')}; this one has ${has}`);
  }
  const kind = found.length === 1 ? found[0] : undefined;
  return { common, kind, options: valueAt(node, kind ?? '') };
}

/** The form of what {@link readVariant} reads: `kinds` gives the form of the options of each. */
export function variantForm(shape: Shape, kinds: Readonly<Record<string, Form>>): Form {
  const { properties, ...common } = recordForm(shape);
  // Because recordForm makes properties of forms.
  const all = { ...(properties as Readonly<Record<string, Form>>), ...kinds };
  return { ...common, properties: all, oneOf: Object.keys(kinds).map((kind) => ({ required: [kind] })) };
}

/** Either of several forms. */
export function eitherForm(...forms: readonly Form[]): Form {
  return { anyOf: forms };
}

/** The value under `key`, or the map itself when it has no such key: the place to complain about either. */
export function valueAt(node: MapNode, key: string): LocatedNode {
  return node.entries.get(key)?.value ?? node;
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
