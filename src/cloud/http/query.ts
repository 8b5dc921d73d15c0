/**
 * Converts the query strings of real clients to the form that the schema of the route describes (cloud C-11).
 *
 * Clients write a list as `type[]=a&type[]=b`, `type[0]=a&type[1]=b`, `type=a&type=b` or `type=a,b`. hio-dotnet writes two or
 * more tags as `tag_ids[]=A[]=B`; every parser reads that as the single value `A[]=B`. For no tags, it writes the name alone,
 * which is ignored. An empty value (`tag_ids=`) is a problem: ignored, the empty variable of a script would select everything.
 */
import { parse } from 'node:querystring';
import type { FastifyInstance } from 'fastify';
import { UUID_PATTERN } from '../../contract/values.js';
import { didYouMean } from '../../kernel/did-you-mean.js';
import { ApiFault } from './errors.js';

/** The parameters of a query or of a path, as parsed by the framework. */
type Raw = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Parses a query string. A name without "=" has the value undefined. */
export function parseQuery(text: string): Raw {
  const parts = text.split('&').filter((part) => part !== '');
  const read = (some: readonly string[]) => parse(some.join('&'), '&', '=', { maxKeys: 0 });
  const alone = Object.keys(read(parts.filter((part) => !part.includes('='))));
  const given = read(parts.filter((part) => part.includes('=')));
  return { ...Object.fromEntries(alone.map((name) => [name, undefined])), ...given };
}

/** The part of a parameter's schema that is used here. */
export interface Parameter {
  readonly type?: string;
  readonly pattern?: string;
  readonly default?: unknown;
  readonly items?: Parameter;
}

/** Converts a query: splits lists, parses numbers, adds defaults. What does not fit stays, and the schema rejects it. */
export function readQuery(parameters: Readonly<Record<string, Parameter>>, raw: Raw): Record<string, unknown> {
  const given = new Map<string, string[]>();
  for (const [written, value = []] of Object.entries(raw)) {
    const name = nameOf(written);
    const values = given.get(name) ?? [];
    given.set(name, values);
    values.push(...[value].flat());
  }
  const query: Record<string, unknown> = {};
  for (const [name, parameter] of Object.entries(parameters)) {
    const values = (given.get(name) ?? []).filter((value) => value !== '');
    const value = parameter.type === 'array' ? readList(values, parameter) : readOne(values, parameter);
    if (value !== undefined) query[name] = value;
  }
  return query;
}

/** Rejects addresses whose query cannot be decoded. The framework would search for the undecoded text. */
export function needReadableQueries(api: FastifyInstance): void {
  api.addHook('onRequest', (request, _, done) => {
    const query = request.raw.url?.split('?', 2)[1] ?? '';
    done(
      isDecodable(query) ? undefined : new ApiFault(400, 'the query is not UTF-8 in percent encoding', 'invalid-utf-8'),
    );
  });
}

function isDecodable(text: string): boolean {
  try {
    return !text.includes('%') || decodeURIComponent(text) !== undefined;
  } catch {
    return false;
  }
}

/** Problems of empty values in a query. */
export function emptyValues(parameters: Readonly<Record<string, Parameter>>, raw: Raw): readonly string[] {
  return Object.entries(raw).flatMap(([written, value = []]) => {
    const parameter = parameters[nameOf(written)];
    const isList = parameter?.type === 'array';
    const isEmpty = [value].flat().some((one) => (isList ? entriesOf(one).length === 0 : one === ''));
    if (parameter === undefined || !isEmpty) return [];
    return [`querystring/${nameOf(written)} is empty; give it a value or leave it out`];
  });
}

/** Problems of the names in a query: a filter with a misspelt name would otherwise be ignored silently. */
export function unknownNames(parameters: Readonly<Record<string, Parameter>>, raw: Raw): readonly string[] {
  const known = Object.keys(parameters);
  const strange = Object.keys(raw).filter((written) => !known.includes(nameOf(written)));
  const possible = known.length === 0 ? 'none' : known.join(', ');
  const problems = strange.slice(0, MOST_NAMES).map((written) => {
    const shown = written.length > 60 ? `${written.slice(0, 57)}…` : written;
    return `querystring "${shown}" is not a parameter of this request${didYouMean(nameOf(written), known)}; it has ${possible}`;
  });
  const more = strange.length - MOST_NAMES;
  return more > 0 ? [...problems, `and ${more} more unknown parameters`] : problems;
}

/** Limit of unknown names in a message: each is compared with all known ones. */
const MOST_NAMES = 20;

/** The name of a parameter without the brackets of a list: `type` for `type[]` and `type[0]`. */
function nameOf(written: string): string {
  return /^([^[\]]+)\[\d*\]$/.exec(written)?.[1] ?? written;
}

/** Converts the parameters of a path to lower case, because all stored ids are in lower case. */
export function readParams(raw: Raw): Record<string, unknown> {
  return Object.fromEntries(Object.entries(raw).map(([name, value]) => [name, String(value).toLowerCase()]));
}

function readList(values: readonly string[], { items = {} }: Parameter): unknown {
  const entries = values.flatMap(entriesOf);
  return entries.length === 0 ? undefined : entries.map((entry) => readValue(entry, items));
}

function entriesOf(value: string): readonly string[] {
  return value.split(/\[\]=|,/).filter((entry) => entry !== '');
}

function readOne(values: readonly string[], parameter: Parameter): unknown {
  const [value] = values;
  if (value === undefined) return parameter.default;
  // A value given twice is ambiguous; the list fails the check of the schema.
  return values.length > 1 ? values : readValue(value, parameter);
}

function readValue(value: string, parameter: Parameter): unknown {
  if (parameter.type === 'integer' && /^-?\d{1,15}$/.test(value)) return Number(value);
  return parameter.pattern === UUID_PATTERN ? value.toLowerCase() : value;
}
