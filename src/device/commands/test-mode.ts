/** `lte test` and `lrw test` (shell S-26): rejected outside of test mode; in it they succeed, and the modem stays silent. */

import { EINVAL, ENOEXEC } from '../../protocol/errno.js';
import type { Command, CommandResult, Handler } from '../shell/command.js';
import { commandHelp } from '../shell/help.js';
import type { ShellHost } from '../shell/host.js';
import { groupHelp, refused, succeeded } from './results.js';

type ModemModule = 'lte' | 'lrw';

/** Test mode begins with the boot after `<module> config test true` has been saved. */
export function inTestMode({ config }: ShellHost, module: ModemModule): boolean {
  return config.layout.find(module, 'test') !== undefined && config.flag(module, 'test');
}

/** The group `test` with the given commands of {@link TOOLS}. */
export function modemTest(module: ModemModule, words: readonly (keyof typeof TOOLS)[]): Command {
  return {
    word: 'test',
    help: 'Direct access to the modem, in test mode.',
    args: [0, 0],
    run: groupHelp,
    children: words.map((word) => {
      const { help, args, run } = TOOLS[word];
      const guarded: Handler = (host, given, command) =>
        inTestMode(host, module) ? run(given, command) : refused(ENOEXEC, 'test mode is not activated');
      return { word, help, args, run: guarded };
    }),
  };
}

interface Tool {
  readonly help: string;
  readonly args: readonly [number, number];
  readonly run: (args: readonly string[], command: Command) => CommandResult;
}

const TOOLS = {
  uart: {
    help: 'Switch the serial line to the modem: enable|disable',
    args: [1, 1],
    run: ([state], command) =>
      state === 'enable' || state === 'disable' ? succeeded() : refused(EINVAL, ...commandHelp(command)),
  },
  reset: { help: 'Reset the modem.', args: [0, 0], run: () => succeeded() },
  wakeup: { help: 'Wake the modem up.', args: [0, 0], run: () => succeeded() },
  cmd: { help: 'Send a command to the modem: <command>', args: [1, 1], run: () => succeeded() },
  prepare: { help: 'Prepare the modem.', args: [0, 0], run: () => succeeded() },
  // A real device passes all input to the modem until "+++". The virtual modem does not answer, so nothing is passed.
  bypass: { help: 'Connect the shell to the modem, until +++ is typed.', args: [0, 0], run: () => succeeded() },
} as const satisfies Record<string, Tool>;
