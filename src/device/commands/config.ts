/** `config`: the configuration of all modules together (shell S-10, S-16). */

import { EIO } from '../../protocol/errno.js';
import type { Command } from '../shell/command.js';
import { moduleLines } from './module-config.js';
import { failed, groupHelp, ok } from './results.js';

export const config: Command = {
  word: 'config',
  help: 'The configuration of all modules.',
  run: groupHelp,
  children: [
    {
      word: 'modules',
      help: 'List the modules by the names of their settings.',
      args: [0, 0],
      run: (host) => ok(...host.config.layout.modules.map((module) => module.prefix)),
    },
    {
      word: 'show',
      help: 'Show every parameter.',
      args: [0, 0],
      run: ({ config }) => ok(...config.layout.modules.flatMap((module) => moduleLines(config, module))),
    },
    {
      word: 'save',
      help: 'Save the configuration and reboot.',
      args: [0, 0],
      run: (host) => {
        return host.config.save() ? { ...ok(), reboot: 'config' } : failed(EIO);
      },
    },
    {
      word: 'reset',
      help: 'Reset all parameters to the defaults and reboot.',
      args: [0, 0],
      run: (host) => {
        return host.config.reset() ? { ...ok(), reboot: 'config' } : failed(EIO);
      },
    },
  ],
};
