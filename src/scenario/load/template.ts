/**
 * Texts with placeholders, which are filled for each request: `{serial}`, a captured value such as `{id}`, a column of the data
 * such as `{email}`. `{{id}}` is the literal text `{id}`. Scenario variables (`${period}`) have been replaced before.
 */

/** A name in braces; with two braces, a literal. Other braces, such as those of JSON, are ordinary text. */
const NAME = String.raw`[\p{L}_][\p{L}\p{M}\p{N}_.\-]*`;
const PLACE = new RegExp(String.raw`\{\{(${NAME})\}\}|\{(${NAME})\}`, 'gu');

/** A name that a placeholder can have. */
export const PLACE_NAME = new RegExp(`^${NAME}$`, 'u');

/** The value for a placeholder. */
export type LookUp = (name: string) => unknown;

interface Template {
  /** Texts and, between them, the placeholders `names`: one text more than names. */
  readonly texts: readonly string[];
  readonly names: readonly string[];
}

export function readTemplate(text: string): Template {
  const texts: string[] = [];
  const names: string[] = [];
  let open = '';
  let end = 0;
  for (const { 0: whole, 1: literal, 2: name, index } of text.matchAll(PLACE)) {
    open += text.slice(end, index);
    end = index + whole.length;
    if (name === undefined) {
      open += `{${literal}}`;
      continue;
    }
    texts.push(open);
    names.push(name);
    open = '';
  }
  texts.push(open + text.slice(end));
  return { texts, names };
}

/** @param write how a value becomes a part of the text. Default: texts as they are, everything else as JSON */
export function fill({ texts, names }: Template, lookUp: LookUp, write: (value: unknown) => string = asText): string {
  let filled = texts[0] ?? '';
  for (let i = 0; i < names.length; i++) filled += write(lookUp(names[i] ?? '')) + (texts[i + 1] ?? '');
  return filled;
}

/** Why a value cannot be a part of a text: `{owner} is null`. Undefined for texts, numbers and truth values. */
export function findUntextual(names: readonly string[], lookUp: LookUp): string | undefined {
  for (const name of names) {
    const value = lookUp(name);
    if (typeof value === 'object') {
      return `{${name}} is ${value === null ? 'null' : Array.isArray(value) ? 'a list' : 'an object'}`;
    }
  }
  return undefined;
}

/** A value as a part of a path or a query. */
export function inPath(value: unknown): string {
  const text = asText(value);
  // Most values are ids.
  return /^[\w.~-]*$/.test(text) ? text : encodeURIComponent(text.toWellFormed());
}

export function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** How a body is made: {@link makeJson}, {@link makeText}. */
export interface BodyMaker {
  readonly names: readonly string[];
  /** Names whose value becomes a part of a longer text. */
  readonly inTexts: readonly string[];
  readonly fill: (lookUp: LookUp) => string;
}

/** Makes a text that is sent as it is, such as a form. @param write how a value becomes a part of it */
export function makeText(text: string, write: (value: unknown) => string = asText): BodyMaker {
  const template = readTemplate(text);
  return { names: template.names, inTexts: template.names, fill: (lookUp) => fill(template, lookUp, write) };
}

/** Makes a JSON text of a value whose texts and keys may have placeholders. A text that is one placeholder becomes its value, of any type. */
export function makeJson(value: unknown): BodyMaker {
  const names = listNames(value);
  const inTexts = listNames(value, true);
  if (names.length === 0 && !JSON.stringify(value).includes('{{')) {
    const text = JSON.stringify(value);
    return { names, inTexts, fill: () => text };
  }
  return { names, inTexts, fill: (lookUp) => JSON.stringify(filled(value, lookUp)) };
}

/** @param inTexts whether placeholders that are a whole text are left out */
function listNames(value: unknown, inTexts = false): readonly string[] {
  if (typeof value === 'string') {
    const template = readTemplate(value);
    return inTexts && isAlone(template) ? [] : template.names;
  }
  if (typeof value !== 'object' || value === null) return [];
  const inKeys = Array.isArray(value) ? [] : Object.keys(value).flatMap((key) => readTemplate(key).names);
  return [...inKeys, ...Object.values(value).flatMap((item) => listNames(item, inTexts))];
}

function isAlone({ names, texts }: Template): boolean {
  return names.length === 1 && texts.every((text) => text === '');
}

function filled(value: unknown, lookUp: LookUp): unknown {
  if (typeof value === 'string') {
    const template = readTemplate(value);
    const [name = ''] = template.names;
    return isAlone(template) ? lookUp(name) : fill(template, lookUp);
  }
  if (Array.isArray(value)) return value.map((item) => filled(item, lookUp));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [fill(readTemplate(key), lookUp), filled(item, lookUp)]),
  );
}
