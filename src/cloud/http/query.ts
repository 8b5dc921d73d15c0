/**
 * Query strings as real clients write them, brought into the form that a route's schema describes (cloud API gaps, 2.6).
 *
 * A list comes as `type[]=a&type[]=b`, `type=a&type=b`, `type=a,b`, or, from hio-dotnet with two or more tags,
 * `tag_ids[]=A[]=B`, which every parser takes for the one value `A[]=B`. A parameter without a value is one not given.
 */
import { UUID_PATTERN } from './schemas.js';

/** A query, or the parameters of a path, as the framework parses them. */
type Raw = Readonly<Record<string, string | readonly string[] | undefined>>;

/** What is read of a parameter's schema. */
export interface Parameter {
  readonly type?: string;
  readonly pattern?: string;
  readonly default?: unknown;
  readonly items?: Parameter;
}

/** The query as its schema wants it: lists split, numbers read, defaults filled in. What does not fit stays as it is. */
export function readQuery(parameters: Readonly<Record<string, Parameter>>, raw: Raw): Record<string, unknown> {
  const query: Record<string, unknown> = {};
  for (const [name, parameter] of Object.entries(parameters)) {
    const values = [raw[name] ?? [], raw[`${name}[]`] ?? []].flat().filter((value) => value !== '');
    const value = parameter.type === 'array' ? readList(values, parameter) : readOne(values, parameter);
    if (value !== undefined) query[name] = value;
  }
  return query;
}

/** Ids in a path are compared in lower case. */
export function readParams(raw: Raw): Record<string, unknown> {
  return Object.fromEntries(Object.entries(raw).map(([name, value]) => [name, String(value).toLowerCase()]));
}

function readList(values: readonly string[], { items = {} }: Parameter): unknown {
  const entries = values.flatMap((value) => value.split(/\[\]=|,/)).filter((entry) => entry !== '');
  return entries.length === 0 ? undefined : entries.map((entry) => readValue(entry, items));
}

function readOne(values: readonly string[], parameter: Parameter): unknown {
  const [value] = values;
  if (value === undefined) return parameter.default;
  // Given twice it is ambiguous: as a list it fits no schema.
  return values.length > 1 ? values : readValue(value, parameter);
}

function readValue(value: string, parameter: Parameter): unknown {
  if (parameter.type === 'integer' && /^-?\d{1,15}$/.test(value)) return Number(value);
  return parameter.pattern === UUID_PATTERN ? value.toLowerCase() : value;
}
