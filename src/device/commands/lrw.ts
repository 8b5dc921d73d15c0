/** `lrw`: the LoRaWAN modem (shell S-27). Requests are numbered and have no effect: the simulation has only LTE. */
import type { Command } from '../shell/command.js';
import type { ShellHost } from '../shell/host.js';
import { groupHelp, ok } from './results.js';
import { modemTest } from './test-mode.js';

export const lrw: Command = {
  word: 'lrw',
  help: 'The LoRaWAN modem.',
  run: groupHelp,
  children: [
    { word: 'join', help: 'Join the network.', args: [0, 0], run: request },
    { word: 'start', help: 'Start the modem.', args: [0, 0], run: request },
    modemTest('lrw', ['uart', 'reset', 'cmd']),
  ],
};

/** Numbers a request; the log of a real device refers to this number. */
function request({ shellMemory }: ShellHost) {
  return ok(`correlation id: ${shellMemory.lrwRequests++}`);
}
