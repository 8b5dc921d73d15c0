/** The JSON Schema of scenarios: it rejects the same mistakes as the checks. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Form } from '../../../src/input/checks.js';
import { scenarioSchema } from '../../../src/scenario/parse/schema.js';
import { schemaNamedIn } from '../../support/schema-line.js';
import { problemsOf, yamlOf } from '../fixtures.js';
import { ajv, published } from './published-schema.js';

const root = new URL('../../../', import.meta.url);
const schema = new URL('schemas/scenario.schema.json', root);
const scenarios = readdirSync(new URL('scenarios/', root), { recursive: true, encoding: 'utf8' });
const validate = ajv.compile(published);
const errors = (yaml: string) => {
  validate(parse(yaml));
  return validate.errors ?? [];
};

describe.each(scenarios.filter((name) => name.endsWith('.yaml')))('%s', (name) => {
  const file = new URL(`scenarios/${name}`, root);
  const text = readFileSync(file, 'utf8');

  it('conforms to the schema, and names the schema for editors', () => {
    expect(errors(text)).toEqual([]);
    expect(schemaNamedIn(text, file)).toBe(schema.href);
  });
});

it('describes every key, with an example that the schema accepts', () => {
  const schemas = keysOf(scenarioSchema());
  expect(schemas.length).toBeGreaterThan(200);
  const poor = schemas.filter(({ form: { description, examples } }) => !description || !examples);
  expect(poor.map(({ path }) => path)).toEqual([]);
  // Keys that several maps share are checked once, because each schema takes milliseconds to compile.
  const distinct = new Map(schemas.map((each) => [JSON.stringify(each.form), each]));
  const wrong = [...distinct.values()].filter(({ form: { examples, ...form } }) => {
    const accepts = ajv.compile({ ...form, definitions: scenarioSchema().definitions });
    return !(examples as readonly unknown[]).every((example) => accepts(example));
  });
  expect(wrong.map(({ path }) => path)).toEqual([]);
});

/** The schemas of all keys, with the keys that lead to them. */
function keysOf(form: Form, path = ''): readonly { readonly path: string; readonly form: Form }[] {
  // The cast is safe because these keywords of the schema have schemas as their values.
  const { properties = {}, items, additionalProperties, anyOf = [] } = form as Keywords;
  return [
    ...Object.entries(properties).flatMap(([key, inner]) => [
      { path: `${path}.${key}`, form: inner },
      ...keysOf(inner, `${path}.${key}`),
    ]),
    ...[items, additionalProperties].flatMap((inner) => (typeof inner === 'object' ? keysOf(inner, `${path}[]`) : [])),
    ...anyOf.flatMap((inner) => keysOf(inner, path)),
  ];
}

interface Keywords {
  readonly properties?: Readonly<Record<string, Form>>;
  readonly items?: Form;
  readonly additionalProperties?: Form | boolean;
  readonly anyOf?: readonly Form[];
}

describe('a mistake', () => {
  it.each([
    ['an unknown key', yamlOf({ head: 'name: test\ndurations: 2h\nduration: 2h\n' })],
    ['a duration without a unit', yamlOf({ head: 'name: test\nduration: 120\n' })],
    ['a fleet without groups', 'name: test\nduration: 2h\nfleet: []\n'],
    ['a count that is not a number', yamlOf({ fleet: '  - { name: clime, profile: clime, count: many }\n' })],
    [
      'a share without a total number of devices',
      yamlOf({ fleet: '  - { name: clime, profile: clime, share: 20% }\n' }),
    ],
    ['two actions in one step', yamlOf({ steps: '  - { at: 1h, shell: send, power-cycle: }\n' })],
    ['no action', yamlOf({ steps: '  - { at: 1h, to: clime }\n' })],
    ['an unknown word', yamlOf({ steps: '  - { at: 1h, radio: maybe }\n' })],
    ['a probability above one', yamlOf({ network: '  loss: 2\n' })],
    ['a rate without a unit', yamlOf({ load: '  - { list-devices:, rate: fast }\n' })],
    ['an expectation without a comparison', yamlOf({ expect: '  - uplink.stored\n' })],
  ])('is found by the schema and by the checks: %s', (_what, text) => {
    expect(errors(text)).not.toEqual([]);
    expect(problemsOf(text)).not.toEqual([]);
  });

  it('is not reported for a variable in place of a value', () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of scenarios
    const text = yamlOf({ head: 'name: test\nduration: "${long}"\nvars: { long: 2h }\n' });
    expect(errors(text)).toEqual([]);
    expect(problemsOf(text)).toEqual([]);
  });
});
