/**
 * What a client of the MCP server gets: texts of devices and clouds as data, bounded in size. A client passes the text on to a
 * language model, which reads everything, so characters that people do not see are escaped, and secrets are masked.
 */
import { MASK, Masking } from '../cloud/api/masking.js';
import { printable, printableTexts } from '../kernel/printable.js';

/** Maximum number of characters in an answer. A model reads about four characters as one token. */
export const LONGEST_ANSWER = 24_000;
/** Maximum number of characters in a resource. The longest page has fewer. */
export const LONGEST_RESOURCE = 200_000;

/** How much of a value is kept, more first: entries of each list or object, and characters of each text. */
const CUTS: readonly Cut[] = [
  { entries: 500, characters: 4000 },
  { entries: 100, characters: 2000 },
  { entries: 40, characters: 800 },
  { entries: 15, characters: 300 },
  { entries: 5, characters: 100 },
  { entries: 3, characters: 60 },
];

interface Cut {
  readonly entries: number;
  readonly characters: number;
}

/** A claim token or a key of a device. */
const TOKEN = /(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])/gi;
/** Masks the secrets that a value has by their names. */
const MASKING = new Masking(undefined);

/** The value as JSON. Lists, objects and texts are cut as far as needed, and say so. */
export function writeAnswer(value: unknown): string {
  let text = '';
  for (const cut of CUTS) {
    text = JSON.stringify(printableTexts(MASKING.value(shorten(value, cut))));
    if (text.length <= LONGEST_ANSWER) return text;
  }
  // As a text in JSON, it is at most twice as long.
  return JSON.stringify({ cut: shortenText(text, LONGEST_ANSWER / 2 - 100) });
}

/** A text of a file, cut at the end of a line. */
export function writeResource(text: string): string {
  if (text.length <= LONGEST_RESOURCE) return printable(text);
  const end = text.lastIndexOf('\n', LONGEST_RESOURCE) + 1 || LONGEST_RESOURCE;
  return `${printable(text.slice(0, end))}… (${text.length - end} more characters)\n`;
}

function shorten(value: unknown, cut: Cut): unknown {
  if (typeof value === 'string') return shortenText(value.replace(TOKEN, MASK), cut.characters);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const kept = value.slice(0, cut.entries).map((item) => shorten(item, cut));
    return kept.length === value.length ? kept : [...kept, `… (${value.length - kept.length} more)`];
  }
  const fields = Object.entries(value);
  const kept = fields
    .slice(0, Math.max(cut.entries, FIELDS))
    .map(([name, item]) => [name, shorten(item, cut)] as const);
  const left = fields.length - kept.length;
  return Object.fromEntries(left === 0 ? kept : [...kept, ['…', `${left} more`]]);
}

/** An object with at most this number of fields is one thing, and not a list of things by name. */
const FIELDS = 30;

function shortenText(text: string, characters: number): string {
  if (text.length <= characters) return text;
  return `${text.slice(0, characters).toWellFormed()}… (${text.length - characters} more characters)`;
}
