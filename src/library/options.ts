/** Checks the options of calls: callers in JavaScript are not checked by the compiler. */

import {
  boolean,
  type Check,
  integer,
  list,
  oneOf,
  optional,
  positiveNumber,
  record,
  rejectUnknownKeys,
  text,
  valueAt,
} from '../input/checks.js';
import { Problems } from '../input/document.js';
import { valueNode } from '../input/value.js';
import { UsageError } from '../kernel/errors.js';
import { findTilde } from '../kernel/home-path.js';
import { isObject } from '../kernel/json-text.js';
import { LAST_SEED } from '../scenario/values/seeds.js';

/** Checks the value of one option; notes a problem under its name. */
type OptionCheck = (value: unknown, name: string, problems: Problems) => void;

/** A check for each option of a call. A missing check is a compile error. */
export type OptionChecks<T> = Readonly<Record<keyof T, OptionCheck>>;

/** An option that is plain data. */
export function plain(check: Check<unknown>): OptionCheck {
  return (value, name, problems) => void check(valueNode(value, name), problems);
}

/** An option that is an object other than plain data. @param wanted the kind, such as `a Map of names to profiles` */
export function such(fits: (value: unknown) => boolean, wanted: string): OptionCheck {
  return (value, name, problems) => {
    // The problem is reported with null in place of the value, which may be large or refer to itself.
    if (!fits(value)) problems.add(valueNode(null, name), `needs ${wanted}`);
  };
}

/** An option that may be null. */
export function orNull(check: OptionCheck): OptionCheck {
  return (value, name, problems) => {
    if (value !== null) check(value, name, problems);
  };
}

/** An option that another part of the library checks. */
export const CHECKED_ELSEWHERE: OptionCheck = () => {};
export const TEXT = plain(text());
export const PATH: OptionCheck = (value, name, problems) => {
  TEXT(value, name, problems);
  const wrong = typeof value === 'string' ? findTilde(value) : undefined;
  if (wrong !== undefined) problems.add(valueNode(null, name), wrong);
};
export const TEXTS = plain(list(text()));
export const TRUE_OR_FALSE = plain(boolean);
export const PORT = plain(integer(0, 65_535, 'a port number from 0 to 65535'));
export const SEED = plain(integer(0, LAST_SEED));
export const ABOVE_ZERO = plain(positiveNumber);
export const MILLIS = plain(integer(1, Number.MAX_SAFE_INTEGER, 'a whole number of milliseconds above 0'));
export const PROFILES = such(isMap, 'a Map of names to profiles, such as packagedProfiles()');
export const VARIABLES = such(isMap, 'a Map of names to values, such as new Map([["devices", "100"]])');
export const LOG = such(
  (value) => ['info', 'warn', 'error'].every((level) => typeof memberOf(value, level) === 'function'),
  'an object with the functions info, warn and error',
);

const REMOTE_PORT = integer(1, 65_535, 'a port number from 1 to 65535');
/** Keys and functions are not shown in messages: {@link CLOUD} replaces them by whether they fit. */
const fits =
  (wanted: string): Check<unknown> =>
  (node, problems) =>
    node.kind === 'scalar' && node.value === true ? true : void problems.add(node, `needs ${wanted}`);
const orEmpty =
  (check: Check<unknown>): Check<unknown> =>
  (node, problems) =>
    node.kind === 'scalar' && node.value === null ? null : check(node, problems);

const ANOTHER_CLOUD = record('a cloud', {
  api: text(),
  apiKey: fits('an API key as a text'),
  spaceId: optional(orEmpty(text())),
  keyOf: optional(fits('a function from the name of a space to its API key')),
  gateway: optional(
    orEmpty(
      record('a gateway', {
        ...{ host: text(), port: REMOTE_PORT },
        ...{ rawPort: optional(REMOTE_PORT), dtlsPort: optional(REMOTE_PORT) },
      }),
    ),
  ),
  pace: optional(
    record('a pace', {
      atOnce: optional(integer(1, Number.MAX_SAFE_INTEGER, 'a whole number from 1')),
      perSecond: optional(orEmpty(positiveNumber)),
    }),
  ),
});

/** An option with another cloud. */
export const CLOUD: OptionCheck = (value, name, problems) => {
  if (!isObject(value)) {
    problems.add(valueNode(null, name), 'needs an object with the address "api" and the key "apiKey" of a cloud');
    return;
  }
  const { apiKey, keyOf }: { readonly apiKey?: unknown; readonly keyOf?: unknown } = value;
  const shown = {
    ...value,
    ...(apiKey !== undefined && { apiKey: typeof apiKey === 'string' }),
    ...(keyOf !== undefined && { keyOf: typeof keyOf === 'function' }),
  };
  ANOTHER_CLOUD(valueAt(valueNode({ [name]: shown }, name), name), problems);
};

export function wordOf(words: readonly string[]): OptionCheck {
  return plain(oneOf(words));
}

function isMap(value: unknown): boolean {
  // An object with the methods of a Map is accepted, too: such an object reads the packaged profiles on demand.
  return (
    value instanceof Map || ['get', 'has', 'keys'].every((method) => typeof memberOf(value, method) === 'function')
  );
}

/** A property of an object; undefined for other values. */
function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/**
 * @param call name of the function
 * @returns the options without those that are undefined, which are absent: they must not replace defaults
 * @throws InputError with all unknown options, each with the nearest name, and all invalid values
 * @throws UsageError if `options` is not an object
 */
export function checkOptions<T>(call: string, options: T, checks: OptionChecks<T>): T {
  const known = Object.keys(checks);
  const given = Object.entries(objectOf(call, options, known)).filter(([, value]) => value !== undefined);
  const node = valueNode(Object.fromEntries(given.map(([key]) => [key, true])), call);
  const problems = new Problems();
  if (node.kind === 'map') rejectUnknownKeys(node, known, `the options of ${call}`, problems);
  const byName = new Map<string, OptionCheck>(Object.entries(checks));
  for (const [name, value] of given) byName.get(name)?.(value, name, problems);
  problems.finish();
  // The cast is safe because only undefined values are left out.
  return Object.fromEntries(given) as T;
}

/** The options of a call as an object. @param known names for the error @throws UsageError if `options` is not an object */
export function objectOf(call: string, options: unknown, known: readonly string[]): object {
  if (isObject(options)) return options;
  throw new UsageError('bad-options', `${call} needs an object with its options: ${known.join(', ')}`);
}
