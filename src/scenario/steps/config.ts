import { withoutSecrets } from '../../kernel/shell-secrets.js';
import { configLines } from '../values/config-lines.js';
import { sentLines } from '../values/sending.js';
import { cloudIdOf, noEffect, type StepKind, stays } from './step.js';

/** Queues a new configuration through the API. The device applies it, saves it and reboots. */
export const config: StepKind<readonly string[]> = {
  about: 'queues configuration lines through the API; the device applies them and reboots',
  example: 'config: { interval-report: 900 }',
  check: sentLines(configLines, 'configRefusal'),
  describe: (lines) => lines.map(withoutSecrets).join(' · '),
  queues: 'config',
  actsOn: 'settings',
  effect: noEffect,
  beforeStart: stays,
  run: async (world, device, lines) => {
    await world.api.sendConfig(cloudIdOf(device), lines);
  },
};
