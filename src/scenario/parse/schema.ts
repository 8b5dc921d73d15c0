/**
 * The JSON Schema of scenarios, for editors. It is generated from the same checks (input/checks.ts) that `ghostfleet validate`
 * uses. The schema is less strict: it does not check references to other parts of a file or to device types.
 *
 * Except in `vars` and `include`, every scalar value may also be a text with a variable.
 */
import type { Form } from '../../input/checks.js';
import { VARIABLE_FORM } from '../source/variables.js';
import { partForms } from './scenario.js';
import { type KnownProfiles, makeValueForms } from './schema-values.js';

/** What each part means, and an example. */
const ABOUT: Readonly<Record<string, readonly [about: string, example: unknown]>> = {
  name: ['Name of the scenario: small letters, digits and hyphens.', 'slow-roll-out'],
  about: ['A description of the situation.', 'A new configuration reaches a cellar with poor reception.'],
  include: [
    'Files to start from: maps are merged, lists are concatenated, and otherwise this file takes precedence.',
    ['common/fleet.yaml'],
  ],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of scenarios
  vars: ['Values for ${name}; --var name=value overrides one of them for a run.', { period: 900 }],
  seed: ['Seed of all random draws; --seed overrides it.', 42],
  start: ['Calendar time at which the world begins, in UTC.', '2026-03-01T06:00:00Z'],
  duration: ['After this time, steps and devices begin nothing new.', '6h'],
  settle: ['How long open exchanges may take to finish after the duration. Default: 10m.', '20m'],
  'warm-up': ['API requests that are due before this time do not count in latencies. Default: 0s.', '5m'],
  cloud: ['Settings of the embedded cloud; they do not apply to another cloud.', { 'rate-limit': '600/m' }],
  setup: [
    'Resources that are created in the space before the devices, in this order, and deleted after the run.',
    [{ tag: { name: 'cold-store' } }],
  ],
  fleet: ['Groups of devices of the same kind.', [{ name: 'cellar', profile: 'clime', count: 50 }]],
  network: ['Conditions for the whole run, and faults with a time.', { latency: '150ms..900ms', loss: '1%' }],
  faults: [
    'Faults of the network, of devices and of the embedded cloud.',
    [{ outage: 'both', from: '2h', until: '3h' }],
  ],
  steps: [
    'Actions on the cloud and on devices, each with a time.',
    [{ at: '1h', to: 'cellar', commands: ['info show'] }],
  ],
  load: ['API requests in addition to the steps.', [{ 'list-devices': null, rate: '2/s' }]],
  expect: ['Expectations that the run must meet.', ['uplink.stored == uplink.sent', 'downlink.answered p(95) < 45m']],
  by: ['The report has the metrics of each part of the run by these.', ['region', 'firmware']],
  next: ['Lines that the report prints at its end.', ['ghostfleet explain runs/demo']],
};

/**
 * The schema, in draft 7, which all common editors support.
 * @param known device types, whose names and parameters the schema then contains
 */
export function scenarioSchema(known?: KnownProfiles): Form {
  const parts = Object.entries(partForms()).map(([key, form]) => {
    const open = key === 'vars' || key === 'include' ? form : withVariables(form);
    const [description, example] = ABOUT[key] ?? [];
    return [key, { description, examples: [example], ...open }];
  });
  const values = known && makeValueForms(known, VARIABLE);
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'A scenario of ghostfleet',
    type: 'object',
    properties: Object.fromEntries(parts),
    // With `include`, no key is required, because an included file may contain it.
    anyOf: [{ required: ['name', 'duration', 'fleet'] }, { required: ['include'] }],
    additionalProperties: false,
    ...(values && { allOf: [values.restriction] }),
    definitions: { variable: VARIABLE_FORM, ...values?.definitions },
  };
}

const VARIABLE: Form = { $ref: '#/definitions/variable' };

/** The form, with `${name}` as an alternative for every scalar. */
function withVariables(form: Form): Form {
  const inner = Object.fromEntries(Object.entries(form).map(([keyword, value]) => [keyword, widened(keyword, value)]));
  if (!isScalar(form)) return inner;
  const { description, examples, ...rest } = inner;
  return {
    ...(description !== undefined && { description }),
    ...(examples !== undefined && { examples }),
    anyOf: [rest, VARIABLE],
  };
}

function widened(keyword: string, value: unknown): unknown {
  // The casts are safe because the values of these JSON Schema keywords are forms.
  if (keyword === 'properties') {
    return Object.fromEntries(Object.entries(value as Form).map(([name, form]) => [name, withVariables(form as Form)]));
  }
  if (keyword === 'anyOf') return (value as readonly Form[]).map(withVariables);
  const isForm = typeof value === 'object' && (keyword === 'items' || keyword === 'additionalProperties');
  return isForm ? withVariables(value as Form) : value;
}

function isScalar({ type, enum: words, const: word }: Form): boolean {
  return words !== undefined || word !== undefined || (type !== undefined && type !== 'object' && type !== 'array');
}
