/** Tags and variables. */
import type { Tag, Variable } from '../../../../src/client/types.js';
import { printableLine } from '../../../../src/kernel/printable.js';
import { readAll } from '../../api/lists.js';
import { model } from '../../model/space.js';
import { DeviceLink } from '../../parts/device-link.js';
import type { Field, Values } from '../../parts/fields.js';
import { changesOf, edited } from './changes.js';
import type { Family } from './family.js';

export const TAGS: Family<Tag> = {
  load: ({ client }) => readAll((page) => client.tags(page)),
  nameOf: ({ name }) => name,
  columns: [
    {
      title: 'Name',
      cell: ({ name, color }) => (
        <>
          <svg class="swatch" viewBox="0 0 10 10" width="12" height="12" aria-hidden="true">
            <rect width="10" height="10" fill={color} />
          </svg>{' '}
          {name}
        </>
      ),
    },
    { title: 'Colour', cell: ({ color }) => <code>{color}</code> },
    { title: 'Access of its keys', cell: ({ access_type }) => access_type },
  ],
  form: {
    title: 'New tag',
    fields: tagFields({ name: '', color: '#1f77b4', access_type: 'write' }),
    create: async (values, { client }) => {
      await client.createTag(tagIn(values));
      return undefined;
    },
  },
  change: {
    fields: tagFields,
    save: async (tag, values, { client }) => {
      // Browsers write colours in lower case.
      const changes = changesOf(tagIn(values), { ...tag, color: tag.color.toLowerCase() });
      if (changes) await client.updateTag(tag.id, changes);
    },
  },
  actions: [
    {
      title: 'Delete',
      confirm: ({ name }) => `Delete the tag "${name}" and all references to it?`,
      run: async ({ id }, { client }) => void (await client.deleteTag(id)),
    },
  ],
  empty: 'The space has no tags.',
};

function tagFields({ name, color, access_type }: Pick<Tag, 'name' | 'color' | 'access_type'>): readonly Field[] {
  const access = { kind: 'choice', options: ['write', 'read'], initial: access_type } as const;
  return [
    { name: 'name', label: 'Name', kind: 'text', isRequired: true, initial: name },
    { name: 'color', label: 'Colour', kind: 'color', initial: color },
    { name: 'access', label: 'Access of its keys', ...access },
  ];
}

function tagIn(values: Values) {
  const access_type = values.text('access') === 'read' ? ('read' as const) : ('write' as const);
  return { name: values.needed('name'), color: values.needed('color'), access_type };
}

type Notes = Pick<Variable, 'environment' | 'comment' | 'secure'>;

const NO_NOTES: Notes = { environment: null, comment: null, secure: false };

export const VARIABLES: Family<Variable> = {
  load: ({ client }) => readAll((page) => client.variables(page)),
  nameOf: ({ name }) => name,
  columns: [
    { title: 'Name', cell: ({ name }) => <code>{name}</code> },
    { title: 'Value', cell: ({ value, secure }) => (secure ? <span class="dim">secure</span> : (value ?? '')) },
    { title: 'Of', cell: ({ device_id }) => (device_id === null ? 'the space' : <DeviceLink id={device_id} />) },
    { title: 'Environment', cell: ({ environment }) => environment ?? '–' },
    { title: 'Comment', cell: ({ comment }) => comment ?? '–' },
    { title: 'Locked', cell: ({ locked }) => (locked ? 'locked' : 'no') },
  ],
  form: {
    title: 'New variable',
    fields: [
      { name: 'name', label: 'Name', kind: 'text', isRequired: true },
      { name: 'value', label: 'Value', kind: 'text', isRequired: true, isSecret: true },
      { name: 'device', label: 'Device: its name or serial number (none: the whole space)', kind: 'text' },
      ...noteFields(NO_NOTES),
    ],
    create: async (values, { client }) => {
      const device = values.text('device');
      await client.createVariable({
        ...notesIn(values, NO_NOTES),
        ...{ name: values.needed('name'), value: values.needed('value') },
        device_id: device === undefined ? null : deviceIdOf(device),
      });
      return undefined;
    },
  },
  change: {
    fits: ({ locked }) => !locked,
    fields: (variable) => [
      { name: 'name', label: 'Name', kind: 'text', isRequired: true, initial: variable.name },
      valueField(variable),
      ...noteFields(variable),
    ],
    save: async (variable, values, { client }) => {
      const value = edited(values.text('value'), variable.value);
      const wanted = {
        ...notesIn(values, variable),
        name: values.needed('name'),
        ...(value !== undefined && { value }),
      };
      const changes = changesOf(wanted, variable);
      if (changes) await client.updateVariable(variable.id, changes);
    },
  },
  actions: [
    {
      title: 'Lock',
      fits: ({ locked }) => !locked,
      run: async ({ id }, { client }) => void (await client.lockVariable(id)),
    },
    {
      title: 'Unlock',
      fits: ({ locked }) => locked,
      run: async ({ id }, { client }) => void (await client.unlockVariable(id)),
    },
    {
      title: 'Delete',
      confirm: ({ name }) => `Delete the variable "${name}"?`,
      run: async ({ id }, { client }) => void (await client.deleteVariable(id)),
    },
  ],
  empty: 'The space has no variables. Scripts of connectors can use them.',
};

/**
 * The field for the value of an existing variable. The value of a secure variable is not readable: it stays unless the user
 * enters another one.
 */
function valueField({ value, secure }: Variable): Field {
  if (secure) return { name: 'value', label: 'Value (empty: it stays unchanged)', kind: 'text', isSecret: true };
  return { ...textField('value', 'Value', value), isRequired: value !== null && value !== '', isSecret: true };
}

/** A field for an existing text. A text of several lines needs a field of several lines, because a shorter field joins them. */
function textField(name: string, label: string, text: string | null): Field {
  return { name, label, kind: /[\r\n]/.test(text ?? '') ? 'lines' : 'text', initial: text ?? '' };
}

function noteFields({ environment, comment, secure }: Notes): readonly Field[] {
  return [
    textField('environment', 'Environment (if set, scripts of connectors do not receive the variable)', environment),
    textField('comment', 'Comment', comment),
    { name: 'secure', label: 'Secure: the value is never shown', kind: 'switch', isOn: secure },
  ];
}

function notesIn(values: Values, before: Notes): Notes {
  return {
    environment: edited(values.text('environment') ?? null, before.environment),
    comment: edited(values.text('comment') ?? null, before.comment),
    secure: values.isOn('secure'),
  };
}

/** @throws Error unless the text is the name, the serial number or the id of one device */
function deviceIdOf(text: string): string {
  const wanted = printableLine(text.trim());
  const found = model().fleet.rows.filter(({ id, name, serial }) => [id, name, serial].includes(wanted));
  const [only] = found;
  if (!only) throw new Error(`The space has no device "${wanted}".`);
  if (found.length > 1) throw new Error(`${found.length} devices are named "${wanted}": enter a serial number.`);
  return only.id;
}
