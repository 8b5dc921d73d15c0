import { describeKey, formOf, optional, record, refine, text } from '../../input/checks.js';
import { quote } from '../../input/problems.js';
import type { DeviceHandle } from '../world.js';
import { cloudIdOf, noEffect, type StepKind, stays } from './step.js';

type UpdateDeviceOptions = {
  readonly name: string | null;
  readonly externalId: string | null;
};

const pattern = refine(text(), (value, node, problems) => {
  const strange = /\{(?!name\}|serial\})[a-z][\w-]*\}/i.exec(value)?.[0];
  if (strange === undefined) return value;
  problems.add(node, `${quote(strange)} is not known here; it can have {name} and {serial}`);
  return undefined;
});

const shape = record('update-device', {
  name: optional(describeKey('New name in the cloud.', 'depot-{serial}', pattern), null),
  'external-id': optional(describeKey('New id in your own system.', 'depot-7/{serial}', pattern), null),
});

/** Changes the name or the external id of the device in the cloud. */
export const updateDevice: StepKind<UpdateDeviceOptions> = {
  about: 'changes name or external id in the cloud; {name} and {serial} are replaced by those of the device',
  example: 'update-device: { external-id: "depot-7/{serial}" }',
  form: () => formOf(shape),
  check: (node, problems) => {
    const read = shape(node, problems);
    if (!read) return undefined;
    const options = { name: read.name, externalId: read['external-id'] };
    if (options.name === null && options.externalId === null) {
      problems.add(node, 'update-device needs "name" or "external-id"');
      return undefined;
    }
    return options;
  },
  describe: ({ name, externalId }) =>
    [name === null ? '' : `name "${name}"`, externalId === null ? '' : `external id "${externalId}"`]
      .filter((part) => part !== '')
      .join(', '),
  actsOn: 'cloud',
  effect: noEffect,
  beforeStart: stays,
  run: async (world, device, { name, externalId }) => {
    await world.api.updateDevice(cloudIdOf(device), {
      ...(name === null ? {} : { name: fill(name, device) }),
      ...(externalId === null ? {} : { external_id: fill(externalId, device) }),
    });
  },
};

function fill(value: string, device: DeviceHandle): string {
  return value.replaceAll('{name}', device.name).replaceAll('{serial}', String(device.serial));
}
