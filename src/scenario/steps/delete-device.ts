import { noOptions } from '../values/no-options.js';
import { BLOCKS, cloudIdOf, type StepKind, stays } from './step.js';

/** Deletes the device from the cloud. The device is not informed and continues to send. */
export const deleteDevice: StepKind<null> = {
  about: 'deletes the device from the cloud, which cancels its pending downlinks; the device itself keeps running',
  example: 'delete-device:',
  check: noOptions,
  describe: () => '',
  actsOn: 'cloud',
  effect: () => ({ ...BLOCKS, on: 'datagrams' }),
  beforeStart: stays,
  run: async (world, device) => {
    await world.api.deleteDevice(cloudIdOf(device));
    device.cloudId = undefined;
  },
};
