/**
 * The JSON Schema of scenarios, for editors. It is made of the forms that the checks know of themselves (input/checks.ts), so
 * that it cannot say something else than they do. It says less: what refers to other parts of a file, or to device types, is
 * only checked by `ghostfleet validate`.
 *
 * Wherever a text, a number or a word may stand, a text with a variable may stand as well.
 */
import type { Form } from '../../input/checks.js';
import { VARIABLE_FORM } from '../source/variables.js';
import { partForms } from './scenario.js';

const ABOUT: Readonly<Record<string, string>> = {
  name: 'Small letters, digits and hyphens.',
  about: 'What the situation is, for people.',
  include: 'Files that this one begins with: maps are merged, lists are put behind each other, and this file wins.',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: what one writes in a scenario
  vars: 'Values that are used as ${name}; --var name=value replaces them for a run.',
  seed: 'Decides every draw; --seed overrides it.',
  start: 'Calendar time at which the world begins, in UTC.',
  duration: 'Steps and devices begin nothing new after this.',
  settle: 'How long open exchanges may take to end after that.',
  'warm-up': 'API requests that were due earlier do not count in latencies.',
  cloud: 'Settings of the embedded cloud; another one has its own.',
  setup: 'What the space needs before the devices are made, in this order; taken away when the run is over.',
  fleet: 'Groups of devices that are alike.',
  network: 'What holds all the time, and faults that have a time.',
  faults: 'What goes wrong with the network, with devices and with the embedded cloud.',
  steps: 'What happens.',
  load: 'Requests to the API, beside the steps.',
  expect: 'What must hold at the end.',
  next: 'Lines that the report prints at its end.',
};

/** The schema, in draft 7, which all editors know. */
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
    // What is needed may stand in a file that is included.
    anyOf: [{ required: ['name', 'duration', 'fleet'] }, { required: ['include'] }],
    additionalProperties: false,
    definitions: { variable: VARIABLE_FORM },
  };
}

const VARIABLE: Form = { $ref: '#/definitions/variable' };

/** The form with `${name}` wherever a scalar may stand. */
function withVariables(form: Form): Form {
  const inner = Object.fromEntries(Object.entries(form).map(([keyword, value]) => [keyword, widened(keyword, value)]));
  if (!isScalar(form)) return inner;
  const { description, ...rest } = inner;
  return { ...(description !== undefined && { description }), anyOf: [rest, VARIABLE] };
}

function widened(keyword: string, value: unknown): unknown {
  // Because that is what stands under these words in a schema.
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
