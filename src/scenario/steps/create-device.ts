import { noOptions } from '../values/no-options.js';
import { deleteDevice } from './delete-device.js';
import { noEffect, type StepKind, stays } from './step.js';

/** Creates a device that was not created before the run (`register: false`), or that was deleted. */
export const createDevice: StepKind<null> = {
  about: 'creates the device in the cloud, with its serial number, claim token and tags',
  example: 'create-device:',
  check: noOptions,
  describe: () => '',
  actsOn: 'cloud',
  effect: noEffect,
  endsEffectOf: deleteDevice,
  beforeStart: stays,
  run: async (world, device) => {
    if (device.cloudId !== undefined) throw new Error(`"${device.name}" already exists in the cloud`);
    const tags = [];
    for (const name of device.tags) tags.push({ id: await world.tagId(name) });
    const created = await world.api.createDevice({
      name: device.name,
      serial_number: String(device.serial).padStart(10, '0'),
      token: device.claimToken,
      ...(device.secret !== undefined && { secret: device.secret }),
      tags,
    });
    device.cloudId = created.id;
  },
};
