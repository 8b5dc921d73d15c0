/** A command: its options, which yargs reads, and the function that runs it. */
import type { Argv, Options } from 'yargs';
import type { ExitCode } from '../kernel/errors.js';
import type { Host } from './host.js';

/** Runs a command. @throws GhostfleetError for every failure that is not a bug in the program */
export type Run = (host: Host) => Promise<ExitCode>;

export interface Command {
  readonly name: string;
  /** Its syntax, such as `run <file>`. */
  readonly pattern: string;
  /** Adds the command to a parser, which calls `choose` if the user chose this command. */
  readonly addTo: (parser: Argv, choose: (run: Run) => void) => Argv;
}

/** Declares a command: its syntax, its one-line description, its options, and what it does with their values. */
export function command<O>(
  pattern: string,
  about: string,
  build: (parser: Argv) => Argv,
  run: (options: O, host: Host) => Promise<ExitCode>,
): Command {
  return {
    name: pattern.split(' ')[0] ?? pattern,
    pattern,
    addTo: (parser, choose) =>
      parser.command(pattern, about, build, (options) => {
        // Because `build` declares exactly the options of O; yargs gives those with a hyphen a camel-case twin.
        choose((host) => run(options as unknown as O, host));
      }),
  };
}

/** An option whose text is parsed and checked. The error names the option and quotes the text, unless it is a secret. */
export function checked<T>(
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
export function wholeNumber(min: number, max: number): (text: string) => number | undefined {
  return (text) => {
    const value = Number(text);
    return /^\d+$/.test(text) && value >= min && value <= max ? value : undefined;
  };
}
