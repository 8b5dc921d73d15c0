/** Values that match a JSON schema, for tests that send what the OpenAPI document permits. */
import fc, { type Arbitrary } from 'fast-check';
import type { Schema } from './openapi.js';

/** Values of a schema. A name in `fixed` has this value wherever it stands, because a schema cannot say which values exist. */
export function valuesOf(schema: Schema, fixed: Readonly<Record<string, unknown>> = {}): Arbitrary<unknown> {
  // The cast is safe because the schemas of the document have only these keywords.
  const s = schema as Keywords;
  const inner = (each: Schema) => valuesOf(each, fixed);
  const choices = s.anyOf ?? s.oneOf;
  if (choices) return fc.oneof(...choices.map((each) => inner({ ...(s.type && { type: s.type }), ...each })));
  if (s.enum) return fc.constantFrom(...s.enum);
  if ('const' in s) return fc.constant(s.const);
  switch (s.type) {
    case 'string':
      return texts(s);
    case 'integer':
      return fc.integer({ min: s.minimum ?? -(2 ** 31), max: s.maximum ?? 2 ** 31 });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(inner(s.items ?? {}), { minLength: s.minItems ?? 0, maxLength: Math.min(s.maxItems ?? 3, 3) });
    case 'object':
      return objects(s, inner, fixed);
    default:
      return ANYTHING;
  }
}

interface Keywords {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema;
  readonly propertyNames?: { readonly maxLength?: number };
  readonly maxProperties?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
}

/** Any JSON value whose numbers JavaScript keeps. */
const ANYTHING = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)));

/** Characters of every kind: of several bytes, invisible ones, and control characters, but no lone surrogates. */
const CHARACTER = fc.oneof(
  fc.constantFrom(...'aZ09 .-_/"\\', '\t', '\n', '\0', 'é', '😀', '\u00a0', '\u200b'),
  fc.string({ minLength: 1, maxLength: 1, unit: 'grapheme' }),
);

function texts({ pattern, format, minLength = 0, maxLength = 40 }: Keywords): Arbitrary<string> {
  if (format === 'date-time') {
    return fc
      .date({ min: new Date('2030-01-01'), max: new Date('2090-01-01'), noInvalidDate: true })
      .map((date) => date.toISOString());
  }
  const fits = (text: string) => [...text].length >= minLength && [...text].length <= maxLength;
  const matching = pattern === undefined ? undefined : new RegExp(pattern, 'u');
  const free = fc.oneof(
    fc.array(CHARACTER, { maxLength: Math.min(maxLength, 40) }).map((characters) => characters.join('')),
    // As long as possible, also in bytes.
    fc.constantFrom('a', 'é', '😀').map((character) => character.repeat(Math.min(maxLength, 5000))),
  );
  if (matching === undefined) return free.filter(fits);
  const good = free.filter((text) => fits(text) && matching.test(text));
  // fast-check cannot generate texts for a look-ahead.
  const plain = new RegExp((pattern ?? '').replace(/\(\?![^)]*\)/g, ''), 'u');
  // Few free texts match the pattern of a hash. Those of a name have to be of all kinds.
  return /\\x7f|\\x00|\\s/.test(pattern ?? '')
    ? good
    : fc.stringMatching(plain).filter((text) => fits(text) && matching.test(text));
}

function objects(
  s: Keywords,
  inner: (schema: Schema) => Arbitrary<unknown>,
  fixed: Readonly<Record<string, unknown>>,
): Arbitrary<unknown> {
  const known = Object.entries(s.properties ?? {}).map(([name, schema]) => [
    name,
    name in fixed ? fc.constant(fixed[name]) : inner(schema),
  ]);
  const required = [...(s.required ?? [])];
  const record = fc.record(Object.fromEntries(known) as Record<string, Arbitrary<unknown>>, {
    requiredKeys: required as never,
  });
  if (s.additionalProperties === undefined) return record;
  const names = fc.string({
    minLength: 1,
    maxLength: Math.min(s.propertyNames?.maxLength ?? 20, 64),
    unit: 'grapheme-composite',
  });
  const others = fc.dictionary(names, inner(s.additionalProperties), { maxKeys: 3 });
  return fc.tuple(others, record).map(([more, own]) => ({ ...more, ...own }));
}
