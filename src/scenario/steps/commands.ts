import { withoutSecrets } from '../../kernel/shell-secrets.js';
import { sentLines } from '../values/sending.js';
import { shellLines } from '../values/shell-lines.js';
import { cloudIdOf, noEffect, type StepKind, stays } from './step.js';

/** Queues shell commands through the API. The device answers them in one message. */
export const commands: StepKind<readonly string[]> = {
  about: 'queues shell commands through the API; the device runs them and answers in a message',
  example: 'commands: [info show, app config]',
  check: sentLines(shellLines),
  describe: (lines) => lines.map(withoutSecrets).join(' · '),
  queues: 'shell',
  actsOn: 'settings',
  effect: noEffect,
  beforeStart: stays,
  run: async (world, device, lines) => {
    await world.api.sendCommands(cloudIdOf(device), lines);
  },
};
