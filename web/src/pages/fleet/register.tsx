/** Registers a device. */

import { readAll } from '../../api/lists.js';
import { current } from '../../api/session.js';
import type { Field } from '../../parts/fields.js';
import { Form } from '../../parts/form.js';
import { useLoad } from '../../parts/load.js';
import { go } from '../../route.js';

const FIELDS: readonly Field[] = [
  { name: 'name', label: 'Name', kind: 'text', isRequired: true, hint: 'freezer-1' },
  { name: 'serial', label: 'Serial number', kind: 'text', isRequired: true, hint: 'ten digits' },
  { name: 'token', label: 'Claim token', kind: 'password', isRequired: true, hint: '32 hex digits' },
  { name: 'tags', label: 'Tags', kind: 'tags' },
];

export function Register() {
  const { client, space } = current();
  const { value: tags } = useLoad(() => readAll((page) => client.tags(page)), []);
  if (space.user_role !== 'admin' || !tags) return null;
  return (
    <Form
      title="Register a device"
      button="Register"
      fields={FIELDS}
      tags={tags}
      submit={async (values) => {
        const { id } = await client.createDevice({
          ...{ name: values.needed('name'), serial_number: values.needed('serial').trim() },
          ...{ token: values.needed('token').trim(), tags: values.tags() },
        });
        go('devices', id);
      }}
    />
  );
}
