import { complain } from '../../input/checks.js';
import { plain } from '../../input/document.js';
import { sentData } from '../values/sending.js';
import { cloudIdOf, noEffect, type StepKind, stays } from './step.js';

/** Queues application data through the API. The encoder of the device defines the keys. */
export const downlink: StepKind<Readonly<Record<string, unknown>>> = {
  about: 'queues data for the application through the API, encoded with the encoder that the device uploaded',
  example: 'downlink: { output_1_state: 1 }',
  form: () => ({ type: 'object', minProperties: 1 }),
  check: sentData((node, problems) =>
    node.kind === 'map' && node.entries.size > 0
      ? // The cast is safe because `plain` returns an object for a map.
        (plain(node) as Readonly<Record<string, unknown>>)
      : complain(node, problems, "a map with the keys of the device's encoder such as { output_1_state: 1 }"),
  ),
  describe: (body) => JSON.stringify(body),
  queues: 'data',
  actsOn: 'cloud',
  effect: noEffect,
  beforeStart: stays,
  run: async (world, device, body) => {
    await world.api.sendData(cloudIdOf(device), body);
  },
};
