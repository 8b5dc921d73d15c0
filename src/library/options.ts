/** Checks the names of options: callers in JavaScript are not checked by the compiler. */
import { rejectUnknownKeys } from '../input/checks.js';
import { Problems } from '../input/document.js';
import { valueNode } from '../input/value.js';
import { UsageError } from '../kernel/errors.js';

/** All options of a call. The compiler asks for those that are missing here. */
export type OptionNames<T> = Readonly<Record<keyof T, true>>;

/**
 * @param call name of the function
 * @throws InputError with all unknown options, each with the nearest name
 * @throws UsageError if `options` is not an object
 */
export function checkNames<T>(call: string, options: unknown, names: OptionNames<T>): void {
  const known = Object.keys(names);
  const given = Object.entries(objectOf(call, options, known)).filter(([, value]) => value !== undefined);
  const node = valueNode(Object.fromEntries(given.map(([key]) => [key, true])), call);
  const problems = new Problems();
  if (node.kind === 'map') rejectUnknownKeys(node, known, `the options of ${call}`, problems);
  problems.finish();
}

/** The options of a call. @param known their names @throws UsageError if they are not an object */
export function objectOf(call: string, options: unknown, known: readonly string[]): object {
  if (typeof options === 'object' && options !== null && !Array.isArray(options)) return options;
  throw new UsageError('bad-options', `${call} needs an object with its options: ${known.join(', ')}`);
}
