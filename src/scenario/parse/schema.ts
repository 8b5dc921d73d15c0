/**
 * The JSON Schema of scenarios, for editors. It is generated from the same checks (input/checks.ts) that `ghostfleet validate`
 * uses. The schema is less strict: it does not check references to other parts of a file or to device types.
 *
 * Except in `vars` and `include`, every scalar value may also be a text with a variable.
 */
import type { Form } from '../../input/checks.js';
import { VARIABLE_FORM } from '../source/variables.js';
import { partForms } from './scenario.js';

const ABOUT: Readonly<Record<string, string>> = {
  name: 'Small letters, digits and hyphens.',
  about: 'A description of the situation.',
  include: 'Files to start from: maps are merged, lists are concatenated, and otherwise this file takes precedence.',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of scenarios
  vars: 'Values for ${name}; --var name=value overrides one of them for a run.',
  seed: 'Seed of all random draws; --seed overrides it.',
  start: 'Calendar time at which the world begins, in UTC.',
  duration: 'After this time, steps and devices begin nothing new.',
  settle: 'How long open exchanges may take to finish after the duration.',
  'warm-up': 'API requests that are due before this time do not count in latencies.',
  cloud: 'Settings of the embedded cloud; they do not apply to another cloud.',
  setup: 'Resources that are created in the space before the devices, in this order, and deleted after the run.',
  fleet: 'Groups of devices of the same kind.',
  network: 'Conditions for the whole run, and faults with a time.',
  faults: 'Faults of the network, of devices and of the embedded cloud.',
  steps: 'Actions on the cloud and on devices, each with a time.',
  load: 'API requests in addition to the steps.',
  expect: 'Expectations that the run must meet.',
  next: 'Lines that the report prints at its end.',
};

/** The schema, in draft 7, which all common editors support. */
export function scenarioSchema(): Form {
  const parts = Object.entries(partForms()).map(([key, form]) => {
    const open = key === 'vars' || key === 'include' ? form : withVariables(form);
    return [key, { description: ABOUT[key], ...open }];
  });
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'A scenario of ghostfleet',
    type: 'object',
    properties: Object.fromEntries(parts),
    // With `include`, no key is required, because an included file may contain it.
    anyOf: [{ required: ['name', 'duration', 'fleet'] }, { required: ['include'] }],
    additionalProperties: false,
    definitions: { variable: VARIABLE_FORM },
  };
}

const VARIABLE: Form = { $ref: '#/definitions/variable' };

/** The form, with `${name}` as an alternative for every scalar. */
function withVariables(form: Form): Form {
  const inner = Object.fromEntries(Object.entries(form).map(([keyword, value]) => [keyword, widened(keyword, value)]));
  if (!isScalar(form)) return inner;
  const { description, ...rest } = inner;
  return { ...(description !== undefined && { description }), anyOf: [rest, VARIABLE] };
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
