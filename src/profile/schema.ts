/**
 * The JSON Schema of profiles, for editors. It is generated from the forms of the checks (input/checks.ts), so it cannot
 * contradict them. It checks less: only `ghostfleet profile check` checks references between sections.
 *
 * In a profile that extends another, every key is optional, and `~` removes an inherited value. A profile without `extends`
 * must have all required keys.
 */
import { type Form, formOf } from '../input/checks.js';
import { BODY_ENTRY } from './body-form.js';
import { EXTENDED_FILE } from './extend.js';
import { OPTIONAL_SECTIONS, type Parts, SECTIONS, type Section } from './read.js';
import { CODEC_ENTRY } from './read-codec.js';

/** The JSON Schema, in draft 7, because all editors support that version. */
export function makeProfileSchema(): Form {
  const complete = completeForm();
  const versions = { description: ABOUT_VERSIONS, type: 'object', additionalProperties: loosen(complete) };
  const properties = { ...getProperties(complete), versions };
  const alone = { ...complete, properties };
  const whole = { ...complete, properties: { ...properties, extends: EXTENDS } };
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'A device type of ghostfleet',
    type: 'object',
    if: { required: ['extends'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { $ref: '#/definitions/extending' },
    else: { $ref: '#/definitions/complete' },
    definitions: { complete: alone, extending: loosen(whole), bodyEntry: BODY_ENTRY, codecEntry: CODEC_ENTRY },
  };
}

const FILE: Form = { type: 'string', pattern: EXTENDED_FILE.source };

const EXTENDS: Form = {
  anyOf: [FILE, { type: 'array', minItems: 1, items: FILE }],
  description:
    'A file that this file extends, in the folder of this file or below; or a list: each file overrides those before it.',
};

const ABOUT_VERSIONS =
  'Older firmware versions, and what is different in each: maps are merged, and `~` leaves out what the version lacks.';

const ABOUT: Readonly<Record<Section, string>> = {
  title: 'Name of the device type for users.',
  identity: 'Identity that the device reports in a session and in `info`.',
  family:
    'The family of the firmware: chester (default) or hio. It decides how the device repeats, polls and recovers.',
  supply_module: 'The backup supply module (CHESTER-Z), if the device type has one.',
  bootloader: 'Updates over the air, if the device type supports them.',
  message_version: 'Version of the body layout, the same in every body.',
  transfer_buffer: 'Largest message either way, in bytes.',
  commands: 'Root words of the shell.',
  button: 'Actions of the button on the board.',
  setup: 'Shell lines that the vendor recommends for setup.',
  timing: 'Intervals and delays of the application.',
  config: 'Parameters of the configuration, by module.',
  sensors: 'Sensors with their quantities, models and windows.',
  events: 'Lists of events in reports.',
  tasks: 'The sensors to sample and to aggregate, and the intervals.',
  receiver: 'A receiver of frames from meters around the device, if the device type has one.',
  serial_line: 'Limits of the serial line, if not every slot may hold a device.',
  body: 'The value that the firmware writes for each key of the decoder.',
  decoder: 'The codec with which the cloud decodes the bodies of uplinks: the published document and its hash.',
  encoder: 'The codec with which the cloud encodes data downlinks, if there are any.',
};

const NOTHING_READ: Parts = {
  modules: undefined,
  decoder: undefined,
  sensors: undefined,
  eventLists: undefined,
  receives: false,
};

function completeForm(): Form {
  const names = Object.keys(SECTIONS) as Section[];
  const forms = names.map((name) => [name, { description: ABOUT[name], ...formOf(SECTIONS[name](NOTHING_READ)) }]);
  return {
    type: 'object',
    properties: Object.fromEntries(forms),
    required: names.filter((name) => !OPTIONAL_SECTIONS.has(name)),
    additionalProperties: false,
  };
}

/** The form in a file that extends another: no key is required, and null removes an inherited value. */
function loosen(form: Form): Form {
  const { required: _, ...rest } = form;
  const entries = Object.entries(rest).map(([keyword, value]): readonly [string, unknown] => {
    if (keyword === 'properties') {
      const forms = Object.entries(getProperties(form)).map(([name, property]) => [name, allowNull(property)]);
      return [keyword, Object.fromEntries(forms)];
    }
    if (keyword === 'additionalProperties' && isForm(value)) return [keyword, allowNull(value)];
    if (keyword === 'anyOf' && Array.isArray(value)) return [keyword, value.map((one) => loosen(one))];
    return [keyword, value];
  });
  return Object.fromEntries(entries);
}

function allowNull(form: Form): Form {
  const { description, ...rest } = loosen(form);
  return { ...(description !== undefined && { description }), anyOf: [rest, { type: 'null' }] };
}

function getProperties({ properties }: Form): Readonly<Record<string, Form>> {
  // The cast is safe because `properties` of a schema is a map of schemas.
  return (properties ?? {}) as Readonly<Record<string, Form>>;
}

function isForm(value: unknown): value is Form {
  return typeof value === 'object' && value !== null;
}
