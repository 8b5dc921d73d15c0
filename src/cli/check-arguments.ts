/** Checks a command line against the declaration of its command, all errors together. */
import { didYouMean, orList, quote } from '../input/problems.js';

/** In place of a value that an option does not take: the messages, for the check of the whole command line. */
export class WrongValue {
  readonly messages: readonly string[];

  constructor(messages: readonly string[]) {
    this.messages = messages;
  }
}

interface Parsed {
  /** The name of the command, followed by unexpected words. */
  readonly _: readonly (string | number)[];
  /** The words after `--`. */
  readonly '--'?: readonly (string | number)[];
  readonly [name: string]: unknown;
}

/** The declared options and positional words of the command, by name. */
export interface Known {
  readonly key: Readonly<Record<string, unknown>>;
  readonly alias: Readonly<Record<string, readonly string[]>>;
  readonly demandedOptions: Readonly<Record<string, unknown>>;
  readonly array: readonly string[];
  readonly boolean: readonly string[];
  readonly choices: Readonly<Record<string, readonly string[]>>;
  /** The options that require a value. */
  readonly narg: Readonly<Record<string, number>>;
}

/** An option as it was typed. */
interface Given {
  readonly name: string;
  /** `--` or `-`. */
  readonly dashes: string;
  /** The text after the equals sign, as in `--seed=7`; undefined without an equals sign. */
  readonly value: string | undefined;
  /** The word after it. */
  readonly next: string | undefined;
}

/** An argument of a command that is not an option. */
interface Place {
  readonly name: string;
  /** Whether it takes several words. */
  readonly isList: boolean;
}

/** The places of a syntax such as `profile <action> [profiles..]`. */
export function findPlaces(pattern: string): readonly Place[] {
  return [...pattern.matchAll(/[<[](\w+)(\.\.)?/g)].map(([, name = '', dots]) => ({
    name,
    isList: dots !== undefined,
  }));
}

/**
 * All errors, one sentence each.
 * @param args the words as typed
 * @param pattern syntax of the command, such as `run <file>`
 */
export function findWrongArguments(
  args: readonly string[],
  pattern: string,
  parsed: Parsed,
  known: Known,
): readonly string[] {
  const places = findPlaces(pattern).map(({ name }) => name);
  const options = Object.keys(known.key).filter((name) => !places.includes(name));
  const given = findOptions(args);
  const titleOf = (name: string): string => (places.includes(name) ? `<${name}>` : `--${name}`);
  return [
    ...given.flatMap((option) => findUnknown(option, options, known)),
    ...given.flatMap((option) => findWrongSwitch(option, known.boolean)),
    ...findRepeated(given, known.array),
    ...given.flatMap((option) => findValueless(option, known)),
    ...Object.keys(known.demandedOptions)
      // The parser drops "-" (standard input) from a list of files, so such a list may look empty.
      .filter((name) => !(known.array.includes(name) && args.includes('-')))
      // An option without a value, or with two, has its own message.
      .filter((name) => !given.some((option) => option.name === name))
      .flatMap((name) => findMissing(titleOf(name), parsed[name], known.choices[name])),
    ...[...parsed._.slice(1), ...(parsed['--'] ?? [])].map((word) => `unexpected argument ${quote(String(word))}`),
    ...Object.entries(known.choices).flatMap(([name, words]) => findWrongChoice(titleOf(name), parsed[name], words)),
    ...options.flatMap((name) => {
      const value = parsed[name];
      return value instanceof WrongValue ? value.messages : [];
    }),
  ];
}

function findOptions(args: readonly string[]): readonly Given[] {
  const end = args.indexOf('--');
  return args.slice(0, end < 0 ? undefined : end).flatMap((word, index, words) => {
    const [, dashes = '', name, value] = /^(--|-(?=[a-z]))([^=]+)(?:=(.*))?$/is.exec(word) ?? [];
    return name === undefined ? [] : [{ name, dashes, value, next: words[index + 1] }];
  });
}

function findUnknown(
  { name, dashes }: Given,
  options: readonly string[],
  { alias, boolean }: Known,
): readonly string[] {
  if (dashes === '-' ? Object.values(alias).flat().includes(name) : options.includes(name)) return [];
  if (name.startsWith('no-') && boolean.includes(name.slice(3))) return [];
  const guess = didYouMean(
    `--${name}`,
    options.map((option) => `--${option}`),
  );
  return [`unknown option ${quote(dashes + name)}${guess}`];
}

function findWrongSwitch({ name, value }: Given, switches: readonly string[]): readonly string[] {
  if (value === undefined || value === 'true' || value === 'false' || !switches.includes(name)) return [];
  return [`--${name} ${quote(value)} must be true or false`];
}

function findRepeated(given: readonly Given[], lists: readonly string[]): readonly string[] {
  const names = given.map(({ name }) => name).filter((name) => !lists.includes(name));
  const twice = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  return [...twice].map((name) => `--${name} may be given only once`);
}

/** The parser takes a word that begins with a hyphen as the next option, unless it is a number. */
function findValueless({ name, value, next }: Given, { narg }: Known): readonly string[] {
  const isMissing = value === undefined && (next === undefined || /^-[^\d]/.test(next));
  return isMissing && Object.hasOwn(narg, name) ? [`--${name} requires a value`] : [];
}

function findMissing(title: string, value: unknown, words: readonly string[] | undefined): readonly string[] {
  if (value !== undefined && !(Array.isArray(value) && value.length === 0)) return [];
  return [`${title} is missing${words ? `: ${orList(words)}` : ''}`];
}

function findWrongChoice(title: string, value: unknown, words: readonly string[]): readonly string[] {
  // The parser sets an option without a value to true, and one with the prefix "no-" to false.
  if (value === true) return [`${title} requires a value: ${orList(words)}`];
  if (typeof value !== 'string' || words.includes(value)) return [];
  return [`${title} ${quote(value)} is not one of ${orList(words)}${didYouMean(value, words)}`];
}
