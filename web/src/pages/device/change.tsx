/** Changes of a device by the user: a form for its name, labels and tags, and its removal. */
import { useState } from 'preact/hooks';
import type { Device } from '../../../../src/client/types.js';
import { readAll } from '../../api/lists.js';
import { current } from '../../api/session.js';
import { Action } from '../../parts/action.js';
import type { Field, Values } from '../../parts/fields.js';
import { Form } from '../../parts/form.js';
import { useLoad } from '../../parts/load.js';
import { go } from '../../route.js';

interface ChangeProps {
  readonly device: Device;
  readonly changed: (device: Device) => void;
}

export function Change({ device, changed }: ChangeProps) {
  const { client, space } = current();
  const { value: tags } = useLoad(() => readAll((page) => client.tags(page)), []);
  // The device as the form shows it. `device` follows changes by others, the fields that the user edits do not.
  const [shown, setShown] = useState(device);
  if (space.user_role !== 'admin' || !tags) return null;
  return (
    <>
      <Form
        title="Change"
        button="Save"
        key={shown.version}
        fields={fieldsOf(shown)}
        tags={tags}
        submit={async (values) => {
          const saved = await client.updateDevice(shown.id, updateIn(values), shown.version);
          setShown(saved);
          changed(saved);
        }}
      />
      <p>
        <Action
          isDangerous
          confirm={`Remove "${device.name}" with its pending downlinks?`}
          run={async () => {
            await client.deleteDevice(device.id);
            go('fleet');
          }}
        >
          Remove the device
        </Action>
      </p>
    </>
  );
}

function fieldsOf({ name, external_id, comment, label, tags }: Device): readonly Field[] {
  const labels = Object.entries(label).map(([key, value]) => `${key}: ${value}`);
  return [
    { name: 'name', label: 'Name', kind: 'text', isRequired: true, initial: name },
    { name: 'external', label: 'External id', kind: 'text', initial: external_id ?? '' },
    { name: 'comment', label: 'Comment', kind: 'text', initial: comment ?? '' },
    { name: 'labels', label: 'Labels, one a line', kind: 'lines', hint: 'site: A', initial: labels.join('\n') },
    { name: 'tags', label: 'Tags', kind: 'tags', chosen: tags.map(({ id }) => id) },
  ];
}

function updateIn(values: Values) {
  return {
    name: values.needed('name'),
    external_id: values.text('external') ?? null,
    comment: values.text('comment') ?? null,
    label: labelsIn(values.text('labels') ?? ''),
    tags: values.tags(),
  };
}

/** @throws Error for a line without a colon */
function labelsIn(text: string): Readonly<Record<string, string>> {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const [, key, value] = /^\s*([^:]+?)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
      if (key === undefined || value === undefined)
        throw new Error(`The label "${line}" has no colon, as in "site: A".`);
      return [key, value];
    }),
  );
}
