/** Tags and variables. */
import type { Tag, Variable } from '../../../../src/client/types.js';
import { printableLine } from '../../../../src/kernel/printable.js';
import { model } from '../../model/space.js';
import { DeviceLink } from '../../parts/device-link.js';
import type { Field, Values } from '../../parts/fields.js';
import type { Family } from './family.js';

export const TAGS: Family<Tag> = {
  load: ({ client }) => client.tags({ limit: 500 }),
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
    save: async ({ id }, values, { client }) => void (await client.updateTag(id, tagIn(values))),
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

export const VARIABLES: Family<Variable> = {
  load: ({ client }) => client.variables({ limit: 500 }),
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
      { name: 'value', label: 'Value', kind: 'text', isRequired: true },
      { name: 'device', label: 'Device: its name or serial number (none: the whole space)', kind: 'text' },
      ...noteFields({ environment: null, comment: null, secure: false }),
    ],
    create: async (values, { client }) => {
      const device = values.text('device');
      await client.createVariable({
        ...notesIn(values),
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
    save: async ({ id, value: before }, values, { client }) => {
      const value = values.text('value');
      // Browsers normalise line ends in text fields. A value that differs only in its line ends was not changed by the user,
      // and is not saved.
      const isNew = value !== undefined && value !== before?.replace(/\r\n?/g, '\n');
      const update = { ...notesIn(values), name: values.needed('name'), ...(isNew && { value }) };
      await client.updateVariable(id, update);
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
  if (secure) return { name: 'value', label: 'Value (none: it stays as it is)', kind: 'text' };
  const text = value ?? '';
  const kind = /[\r\n]/.test(text) ? 'lines' : 'text';
  return { name: 'value', label: 'Value', kind, isRequired: text !== '', initial: text };
}

type Notes = Pick<Variable, 'environment' | 'comment' | 'secure'>;

function noteFields({ environment, comment, secure }: Notes): readonly Field[] {
  return [
    {
      ...{ name: 'environment', label: 'Environment (with one, scripts of connectors do not get it)' },
      ...{ kind: 'text', initial: environment ?? '' },
    },
    { name: 'comment', label: 'Comment', kind: 'text', initial: comment ?? '' },
    { name: 'secure', label: 'Secure: the value is never shown', kind: 'switch', isOn: secure },
  ];
}

function notesIn(values: Values): Notes {
  const [environment = null, comment = null] = [values.text('environment'), values.text('comment')];
  return { environment, comment, secure: values.isOn('secure') };
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
