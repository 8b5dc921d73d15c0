/** Tags and variables. */
import type { Tag, Variable } from '../../../../src/client/types.js';
import { DeviceLink } from '../../parts/device-link.js';
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
    fields: [
      { name: 'name', label: 'Name', kind: 'text', isRequired: true },
      { name: 'color', label: 'Colour', kind: 'color', initial: '#1f77b4' },
      { name: 'access', label: 'Access of its keys', kind: 'choice', options: ['write', 'read'] },
    ],
    create: async (values, { client }) => {
      const access = values.text('access') === 'read' ? 'read' : 'write';
      await client.createTag({ name: values.needed('name'), color: values.needed('color'), access_type: access });
      return undefined;
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
      { name: 'device', label: 'ID of a device (none: the whole space)', kind: 'text' },
      { name: 'comment', label: 'Comment', kind: 'text' },
      { name: 'secure', label: 'Secure: the value is never shown', kind: 'switch' },
    ],
    create: async (values, { client }) => {
      const { text } = values;
      await client.createVariable({
        ...{ name: values.needed('name'), value: values.needed('value'), secure: values.isOn('secure') },
        ...{ device_id: text('device') ?? null, comment: text('comment') ?? null },
      });
      return undefined;
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
