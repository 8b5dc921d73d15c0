/** Declares commands: their options, which yargs reads, and the functions that run them. */
import type { Argv, Options } from 'yargs';
import type { ExitCode } from '../kernel/errors.js';
import { WrongValue } from './check-arguments.js';
import type { Host } from './host.js';
import { needDifferentFiles } from './same-files.js';

/** Runs a command. @throws GhostfleetError for every failure that is not a bug in the program */
export type Run = (host: Host) => Promise<ExitCode>;

export interface Command {
  /** Declares the options in a parser. */
  readonly build: (parser: Argv) => Argv;
  /** Returns the function that runs the command with the values from the parser. */
  readonly runWith: (values: object) => Run;
}

/** Declares a command: its options, and the function that runs it. Its name and description are in `commands.ts`. */
export function defineCommand<O>(
  build: (parser: Argv) => Argv,
  run: (options: O, host: Host) => Promise<ExitCode>,
): Command {
  return {
    build,
    runWith: (values) => async (host) => {
      needDifferentFiles({ ...values });
      // The cast is safe because `build` declares exactly the options of O. yargs adds camel-case copies of names with a hyphen.
      return run(values as unknown as O, host);
    },
  };
}

/**
 * Reads the values of an option that may be repeated.
 * @param read returns what is wrong with a text as a WrongValue
 */
export function readEach<T, R = readonly T[]>(
  read: (text: string) => T | WrongValue,
  join: (values: readonly T[]) => R,
): (texts: readonly string[]) => R | WrongValue {
  return (texts) => {
    const values = texts.map(read);
    const wrong = values.filter((value) => value instanceof WrongValue);
    if (wrong.length > 0) return new WrongValue(wrong.flatMap(({ messages }) => messages));
    return join(values.filter((value): value is T => !(value instanceof WrongValue)));
  };
}

/**
 * An option whose text is parsed and checked. The message names the option and quotes the text; the text of a secret is hidden.
 * @param wanted the expected text for the error, such as `a number from 1 to 9`
 * @param read parses the text; returns undefined for an invalid text
 */
export function checkOption<T>(
  options: Options & { readonly secret?: boolean },
  name: string,
  wanted: string,
  read: (text: string) => T | undefined,
) {
  const { secret = false, ...rest } = options;
  return {
    ...rest,
    type: 'string' as const,
    requiresArg: true,
    coerce: (given: unknown): T | undefined | WrongValue => {
      // An option without a value, with the prefix "no-" or given twice is an error of its own.
      if (given === undefined || typeof given === 'boolean' || Array.isArray(given)) return undefined;
      const text = String(given);
      return read(text) ?? new WrongValue([`--${name} ${secret ? '(hidden)' : `"${text}"`} is not ${wanted}`]);
    },
  };
}

/** Reads a whole number from `min` to `max`. */
export function expectWholeNumber(min: number, max: number): (text: string) => number | undefined {
  return (text) => {
    const value = Number(text);
    return /^\d+$/.test(text) && value >= min && value <= max ? value : undefined;
  };
}
