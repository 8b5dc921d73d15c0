import { text } from '../../input/checks.js';
import { orList, quote } from '../../input/problems.js';
import { cloudIdOf, noEffect, type StepKind, stays } from './step.js';

const name = text();

/** Queues a firmware update to an image of `setup`. */
export const firmware: StepKind<string> = {
  about: 'queues an update to a firmware image of setup through the API; the device fetches it part by part',
  example: 'firmware: v2',
  form: () => name.form?.() ?? {},
  check: (node, problems, { firmware: known }) => {
    const wanted = name(node, problems);
    if (wanted === undefined || known === undefined || known.includes(wanted)) return wanted;
    const there = known.length === 0 ? 'has no firmware' : `has ${orList(known)}`;
    problems.add(node, `unknown firmware ${quote(wanted)}; "setup" ${there}`);
    return undefined;
  },
  describe: (wanted) => wanted,
  queues: 'firmware',
  actsOn: 'settings',
  effect: noEffect,
  beforeStart: stays,
  run: async (world, device, wanted) => {
    await world.api.updateFirmware(cloudIdOf(device), world.firmwareId(wanted));
  },
};
