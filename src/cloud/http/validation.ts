/**
 * Checks the parts of a request against the TypeBox schemas of its route and describes all problems. The `description` of a
 * schema completes the message "… is not …"; the value of a `writeOnly` schema is a secret and is not repeated.
 */
import type { FastifySchemaCompiler, FastifyTypeProvider } from 'fastify';
import type { Static, TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { Settings } from 'typebox/system';
import { didYouMean } from '../../kernel/did-you-mean.js';
import { ApiFault } from './errors.js';
import { emptyValues, type Parameter, readParams, readQuery, unknownNames } from './query.js';

/** Types the arguments of a handler by the TypeBox schemas of its route. */
export interface TypeBoxProvider extends FastifyTypeProvider {
  readonly validator: this['schema'] extends TSchema ? Static<this['schema']> : unknown;
}

export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart = 'body' }) => {
  const check = checker(schema, httpPart);
  if (httpPart === 'querystring') {
    // The cast is safe because the routes describe their queries as objects, and TypeBox's objects are plain JSON schemas.
    const { properties } = schema as unknown as { properties: Readonly<Record<string, Parameter>> };
    return (data) => {
      const checked = check(readQuery(properties, data));
      const strange = [...unknownNames(properties, data), ...emptyValues(properties, data)];
      if (strange.length === 0) return checked;
      const others = 'error' in checked ? [checked.error.message] : [];
      return { error: new ApiFault(400, [...strange, ...others].join('; '), 'FST_ERR_VALIDATION') };
    };
  }
  if (httpPart === 'params') return (data) => check(readParams(data));
  return check;
};

export type Checked<T> = { readonly value: T } | { readonly error: ApiFault };

/** Maximum number of problems reported for a value: more than any schema has fields, so that every field is covered. */
const MOST_PROBLEMS = 100;
Settings.Set({ maxErrors: MOST_PROBLEMS });

/** The check of a schema, compiled at its first use. `where` names the checked part in messages, such as `body`. */
export function checker<S extends TSchema>(schema: S, where: string): (value: unknown) => Checked<Static<S>> {
  return (whole) => {
    const { validator, names } = compiled(schema);
    const part = beginningOf(whole, names, DEEPEST_LIMIT);
    const isShort = part === whole;
    if ((isShort || validator.Check(part)) && validator.Check(whole)) return { value: whole as Static<S> };
    const problems = problemsOf({ validator, names }, { whole, part }, schema, where);
    return { error: new ApiFault(400, problems.join('; '), 'FST_ERR_VALIDATION') };
  };
}

/** Describes all problems of a value, at most {@link MOST_PROBLEMS}. */
function problemsOf(
  { validator, names }: Compiled,
  { whole, part }: { readonly whole: unknown; readonly part: unknown },
  schema: TSchema,
  where: string,
): readonly string[] {
  const errors = validator.Errors(part);
  if (errors.length === 0)
    return [`${where} is invalid after the first ${MOST_ENTRIES} entries of a list or an object`];
  const problems = new Set<string>();
  for (const { keyword, params, instancePath, schemaPath, message } of errors.filter(isTold)) {
    const place = where + instancePath;
    if (keyword === 'required') {
      const unknown = unknownIn(at(part, instancePath), names);
      for (const name of params.requiredProperties) problems.add(`${place} needs "${name}"${misspelt(name, unknown)}`);
      continue;
    }
    const { wanted, secret } = describe(schema, schemaPath);
    if (wanted === undefined) problems.add(`${place} ${message}`);
    else if (secret) problems.add(`${place} is not ${wanted}`);
    else {
      const value = at(whole, instancePath);
      const meant = keyword === 'enum' ? suggested(value, params) : '';
      problems.add(`${place}${quote(value)} is not ${wanted}${meant}${kindOf(value)}`);
    }
  }
  if (errors.length >= MOST_PROBLEMS) problems.add('and possibly more');
  return [...problems];
}

/** More entries than the limit of any list or object, and the number of levels on which there are limits. */
const MOST_ENTRIES = 500;
const DEEPEST_LIMIT = 4;

/**
 * The value with at most {@link MOST_ENTRIES} entries of each list and object on its first levels; an object also keeps the
 * entries with these names. The schema checks the entries before it checks their number, and looks at all of them to describe a
 * problem: for a body of a megabyte, that would take seconds.
 */
function beginningOf(value: unknown, names: ReadonlySet<string>, levels: number): unknown {
  if (typeof value !== 'object' || value === null || levels === 0) return value;
  if (Array.isArray(value)) {
    const first = value.length > MOST_ENTRIES ? value.slice(0, MOST_ENTRIES) : value;
    const parts = first.map((each) => beginningOf(each, names, levels - 1));
    return first === value && parts.every((part, n) => part === value[n]) ? value : parts;
  }
  const entries = Object.entries(value);
  const first =
    entries.length > MOST_ENTRIES ? entries.filter(([name], n) => n < MOST_ENTRIES || names.has(name)) : entries;
  const parts = first.map(([name, each]) => [name, beginningOf(each, names, levels - 1)] as const);
  const isWhole = first === entries && parts.every(([, part], n) => part === entries[n]?.[1]);
  return isWhole ? value : Object.fromEntries(parts);
}

/** The names of all properties in a schema. */
function namesIn(schema: unknown, names = new Set<string>()): ReadonlySet<string> {
  if (typeof schema !== 'object' || schema === null) return names;
  for (const [key, inner] of Object.entries(schema)) {
    if (key === 'properties' && typeof inner === 'object') for (const name of Object.keys(inner ?? {})) names.add(name);
    namesIn(inner, names);
  }
  return names;
}

/**
 * Whether an error says what is expected. That a nullable value is not null, or matches no alternative, is left out if an error
 * of another alternative is there: the description of an outer schema would be added to it.
 */
function isTold({ keyword, params, instancePath }: Failure, _: number, all: readonly Failure[]): boolean {
  const isUseless = (error: Failure) => error.keyword === 'anyOf' || isNotNull(error);
  if (!isUseless({ keyword, params, instancePath })) return true;
  const inside = (path: string) => path === instancePath || path.startsWith(`${instancePath}/`);
  return !all.some((other) => !isUseless(other) && inside(other.instancePath));
}

function isNotNull({ keyword, params }: Failure): boolean {
  return keyword === 'type' && 'type' in params && params.type === 'null';
}

interface Failure {
  readonly keyword: string;
  readonly params: object;
  readonly instancePath: string;
}

/** Compiled schemas. Services that a process starts one after another share the schemas of their routes. */
const known = new WeakMap<TSchema, Compiled>();

interface Compiled {
  readonly validator: Validator;
  readonly names: ReadonlySet<string>;
}

function compiled(schema: TSchema): Compiled {
  const made = known.get(schema) ?? { validator: Compile(schema), names: namesIn(schema) };
  known.set(schema, made);
  return made;
}

/** The innermost description on the path to the failed part of the schema. */
function describe(schema: TSchema, schemaPath: string): { wanted: string | undefined; secret: boolean } {
  let wanted: string | undefined;
  let secret = false;
  let node: unknown = schema;
  for (const step of ['', ...schemaPath.split('/').slice(1)]) {
    if (step !== '') node = child(node, step);
    const description = child(node, 'description');
    if (typeof description === 'string') wanted = description;
    if (child(node, 'writeOnly') === true) secret = true;
  }
  return { wanted, secret };
}

/** The value at a JSON pointer. */
function at(value: unknown, pointer: string): unknown {
  const steps = pointer.split('/').slice(1);
  return steps.reduce((node, step) => child(node, step.replaceAll('~1', '/').replaceAll('~0', '~')), value);
}

function child(node: unknown, key: string): unknown {
  return typeof node === 'object' && node !== null ? (node as Record<string, unknown>)[key] : undefined;
}

/** Names in an object that the schema does not have, for comparison with the names that are missing. */
function unknownIn(value: unknown, names: ReadonlySet<string>): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  const unknown = Object.keys(value).filter((name) => !names.has(name) && name.length <= LONGEST_NAME);
  return unknown.slice(0, MOST_COMPARED);
}

const LONGEST_NAME = 40;
const MOST_COMPARED = 20;

/** A name in an object that may be meant by a missing one, for a message. */
function misspelt(missing: string, unknown: readonly string[]): string {
  const given = unknown.find((name) => didYouMean(name, [missing]) !== '');
  return given === undefined ? '' : `; "${given}" is not a field${didYouMean(given, [missing])}`;
}

function suggested(value: unknown, { allowedValues }: { readonly allowedValues: readonly unknown[] }): string {
  if (typeof value !== 'string') return '';
  const texts = allowedValues.filter((each) => typeof each === 'string');
  return didYouMean(value.slice(0, LONGEST_NAME), texts);
}

/** What an object or a list is, for a message that does not show it. Empty for other values. */
function kindOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return '';
  if (!Array.isArray(value)) return Object.keys(value).length === 0 ? ' (got an empty object)' : ' (got an object)';
  return value.length === 0 ? ' (got an empty list)' : ` (got a list of ${value.length})`;
}

/** The value for a message, after a space: ` "red"`, ` 5`. Empty for objects and arrays, which could contain a secret. */
function quote(value: unknown): string {
  if (typeof value === 'object' && value !== null) return '';
  if (typeof value !== 'string') return ` ${value}`;
  return ` "${value.length > 60 ? `${value.slice(0, 57)}…` : value}"`;
}
