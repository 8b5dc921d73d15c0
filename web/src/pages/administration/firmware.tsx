/** Firmware images and updates. */
import { ApiError, type FirmwareImage, type FirmwareUpdate } from '../../../../src/client/client.js';
import { readAll } from '../../api/lists.js';
import { counted } from '../../model/count.js';
import { Ago } from '../../parts/ago.js';
import { DeviceLink } from '../../parts/device-link.js';
import type { Family } from './family.js';

export const IMAGES: Family<FirmwareImage> = {
  load: ({ client }) => readAll((page) => client.firmwareImages(page)),
  nameOf: ({ version, name }) => `${name ?? ''} ${version}`.trim(),
  columns: [
    { title: 'Version', cell: ({ version }) => version },
    { title: 'Name', cell: ({ name }) => name ?? '–' },
    { title: 'Bundle', cell: ({ bundle }) => bundle ?? '–' },
    { title: 'Size', cell: ({ size }) => `${size.toLocaleString('en')} bytes` },
    { title: 'Uploaded', cell: ({ created_at }) => <Ago at={Date.parse(created_at)} /> },
    { title: 'SHA-256', cell: ({ sha256 }) => <code title={sha256}>{sha256.slice(0, 12)}…</code> },
  ],
  form: {
    title: 'Upload an image',
    fields: [
      { name: 'data', label: 'File', kind: 'file', isRequired: true },
      { name: 'version', label: 'Version, if the image does not contain it', kind: 'text', hint: 'v3.6.0' },
      { name: 'name', label: 'Name', kind: 'text' },
    ],
    create: async (values, { client }) => {
      const [version, name] = [values.text('version'), values.text('name')];
      await client.createFirmwareImage({
        data: values.needed('data'),
        ...(version !== undefined && { version }),
        ...(name !== undefined && { name }),
      });
      return undefined;
    },
  },
  actions: [
    {
      title: 'Delete',
      confirm: ({ version }) => `Delete the image ${version}? Unfinished updates to it fail.`,
      run: async ({ id }, { client }) => void (await client.deleteFirmwareImage(id)),
    },
  ],
  empty: 'The space has no firmware images.',
};

const FINAL = ['succeeded', 'cancelled', 'failed'];

export const UPDATES: Family<FirmwareUpdate> = {
  load: ({ client }) => readAll((page) => client.firmwareUpdates(page)),
  nameOf: ({ version }) => version,
  columns: [
    { title: 'Device', cell: ({ device_id }) => <DeviceLink id={device_id} /> },
    { title: 'Version', cell: ({ version }) => version },
    {
      title: 'State',
      cell: ({ state }) => (
        <span class={state === 'succeeded' ? 'good' : state === 'failed' ? 'bad' : ''}>{state}</span>
      ),
    },
    {
      title: 'Progress',
      cell: ({ state, offset, size }) => (
        <progress class={state === 'failed' ? 'bad' : ''} value={offset} max={size} aria-label="Progress" />
      ),
    },
    { title: 'Error', cell: ({ error }) => error ?? '–' },
    { title: 'Changed', cell: ({ updated_at }) => <Ago at={Date.parse(updated_at)} /> },
  ],
  form: {
    title: 'New roll-out',
    fields: [
      { name: 'image', label: 'Version of the image, or its ID', kind: 'text', isRequired: true },
      { name: 'tags', label: 'Devices with any of these tags', kind: 'tags' },
    ],
    create: async (values, { client }) => {
      const wanted = values.needed('image').trim();
      const image = (await readAll((page) => client.firmwareImages(page))).find(
        ({ id, version }) => id === wanted || version === wanted,
      );
      if (!image) throw new Error(`The space has no image "${wanted}".`);
      const tags = values.tags().map(({ id }) => id);
      if (tags.length === 0) throw new Error('Choose at least one tag.');
      const refused: string[] = [];
      let scheduled = 0;
      for await (const { id, name } of client.allDevices({ tag_ids: tags })) {
        try {
          await client.updateFirmware(id, image.id);
          scheduled++;
        } catch (error) {
          // 409 means that the device has an open update. Any other error ends the roll-out.
          if (!(error instanceof ApiError && error.status === 409)) throw error;
          refused.push(name);
        }
      }
      const others = refused.length === 0 ? '' : ` Not scheduled, because of an open update: ${refused.join(', ')}.`;
      return `Scheduled to ${image.version}: ${counted(scheduled, 'update')}.${others}`;
    },
  },
  actions: [
    {
      title: 'Cancel',
      fits: ({ state }) => !FINAL.includes(state),
      confirm: ({ version }) => `Cancel the update to ${version}?`,
      run: async ({ id }, { client }) => void (await client.remove(`/firmware/${id}`)),
    },
  ],
  empty: 'No update has been scheduled.',
};
