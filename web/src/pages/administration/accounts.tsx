/** Spaces, users and keys. */
import type { Key, Space, User } from '../../../../src/client/types.js';
import { readAll } from '../../api/lists.js';
import { open } from '../../api/session.js';
import { Ago, momentText } from '../../parts/ago.js';
import type { Family } from './family.js';

const ago = (at: string | null) => (at === null ? '–' : <Ago at={Date.parse(at)} />);

export const SPACES: Family<Space> = {
  load: ({ client }) => readAll((page) => client.spaces(page)),
  nameOf: ({ name }) => name,
  columns: [
    { title: 'Name', cell: ({ name }) => name },
    { title: 'Type', cell: ({ type }) => type },
    { title: 'Your role', cell: ({ user_role }) => user_role },
    { title: 'Created', cell: ({ created_at }) => ago(created_at) },
    { title: 'ID', cell: ({ id }) => <code>{id}</code> },
  ],
  form: {
    title: 'New space',
    fields: [
      { name: 'name', label: 'Name', kind: 'text', isRequired: true },
      { name: 'type', label: 'Type', kind: 'choice', options: ['team', 'personal', 'default', 'premium'] },
    ],
    create: async (values, { client }) => {
      // The cast is safe because the choice offers these types only.
      const type = values.needed('type') as 'team' | 'personal' | 'default' | 'premium';
      const { id } = await client.createSpace({ name: values.needed('name'), type });
      await open(id);
      return undefined;
    },
  },
  empty: 'The credential opens no space.',
};

export const USERS: Family<User> = {
  load: ({ client }) => readAll((page) => client.users(page)),
  nameOf: ({ email }) => email,
  columns: [
    { title: 'E-mail address', cell: ({ email }) => email },
    { title: 'Name', cell: ({ name }) => name ?? '–' },
    { title: 'Role', cell: ({ role }) => role },
    { title: 'State', cell: ({ state }) => state },
    { title: 'Since', cell: ({ created_at }) => ago(created_at) },
  ],
  form: {
    title: 'Invite a user',
    fields: [
      { name: 'email', label: 'E-mail address', kind: 'email', isRequired: true },
      { name: 'name', label: 'Name', kind: 'text' },
      { name: 'role', label: 'Role', kind: 'choice', options: ['user', 'admin'] },
    ],
    create: async (values, { client }) => {
      const name = values.text('name');
      const role = values.text('role') === 'admin' ? 'admin' : 'user';
      const user = await client.inviteUser({
        email: values.needed('email'),
        role,
        ...(name !== undefined && { name }),
      });
      return `Pass this invitation on to ${user.email}; it is valid for 7 days and is not shown again: ${user.invite_token}`;
    },
  },
  actions: [
    {
      title: 'Make admin',
      fits: ({ role }) => role === 'user',
      run: async ({ id }, { client }) => void (await client.updateUser(id, { role: 'admin' })),
    },
    {
      title: 'Make user',
      fits: ({ role }) => role === 'admin',
      run: async ({ id }, { client }) => void (await client.updateUser(id, { role: 'user' })),
    },
    {
      title: 'Remove',
      confirm: ({ email }) => `Remove ${email} from the space?`,
      run: async ({ id }, { client }) => void (await client.deleteUser(id)),
    },
  ],
  empty: 'The space has no users; it is opened with API keys.',
};

export const KEYS: Family<Key> = {
  load: ({ client }) => readAll((page) => client.keys(page)),
  nameOf: ({ name }) => name,
  columns: [
    { title: 'Name', cell: ({ name }) => name },
    { title: 'Begins with', cell: ({ prefix }) => <code>{prefix || '–'}</code> },
    { title: 'Access', cell: ({ access_type }) => access_type },
    {
      title: 'Devices',
      cell: ({ scope, tags }) => (scope === 'space' ? 'all' : tags.map(({ name }) => name).join(', ')),
    },
    { title: 'Last used', cell: ({ last_used_at }) => (last_used_at === null ? 'never' : ago(last_used_at)) },
    {
      title: 'Expires',
      cell: ({ expires_at }) => (expires_at === null ? 'never' : momentText(Date.parse(expires_at))),
    },
  ],
  form: {
    title: 'New key',
    fields: [
      { name: 'name', label: 'Name', kind: 'text', isRequired: true },
      { name: 'access', label: 'Access', kind: 'choice', options: ['write', 'read'] },
      { name: 'tags', label: 'Only devices with these tags (none: all)', kind: 'tags' },
    ],
    create: async (values, { client }) => {
      const access = values.text('access') === 'read' ? 'read' : 'write';
      const { key } = await client.createKey({ name: values.needed('name'), access_type: access, tags: values.tags() });
      return `The key, which is not shown again: ${key}`;
    },
  },
  actions: [
    {
      title: 'Rotate',
      confirm: ({ name }) => `Replace the secret of "${name}"? The old one becomes invalid at once.`,
      run: async ({ id }, { client }) => `The new key, which is not shown again: ${(await client.rotateKey(id)).key}`,
    },
    {
      title: 'Delete',
      confirm: ({ name }) => `Delete the key "${name}"? It becomes invalid at once.`,
      run: async ({ id }, { client }) => void (await client.deleteKey(id)),
    },
  ],
  empty: 'The space has no API keys.',
};
