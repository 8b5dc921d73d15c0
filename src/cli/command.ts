/** Declares commands: their options, which yargs reads, and the functions that run them. */
import type { Argv, Options } from 'yargs';
import type { ExitCode } from '../kernel/errors.js';
import type { Host } from './host.js';

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
    // The cast is safe because `build` declares exactly the options of O. yargs adds camel-case copies of names with a hyphen.
    runWith: (values) => (host) => run(values as unknown as O, host),
  };
}

/**
 * An option whose text is parsed and checked. The error names the option and quotes the text; the text of a secret is hidden.
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
    coerce: (text: string): T | undefined => {
      if (text === undefined) return undefined;
      const value = read(String(text));
      if (value === undefined) throw new Error(`--${name} ${secret ? '(hidden)' : `"${text}"`} is not ${wanted}`);
      return value;
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
