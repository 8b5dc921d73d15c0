/**
 * `flash`: Zephyr's tool for raw flash memory (shell S-37). The data that a virtual device stores in flash has no addresses:
 * every page reads as erased, and writing changes nothing.
 */

import { EINVAL } from '../../protocol/errno.js';
import { wholeNumber } from '../config/number.js';
import type { Command, CommandResult } from '../shell/command.js';
import { commandHelp } from '../shell/help.js';
import { hexdump } from './hexdump.js';
import { ok, refused } from './results.js';

/** 8 MB of NOR flash beside the processor, in pages of 4 kB. */
const SIZE = 0x80_0000;
const PAGE = 0x1000;
/** Maximum number of bytes that `read` shows. Their text is already longer than the cloud can receive (shell/capture.ts). */
const READ_MAX = 0x400;

export const flash: Command = {
  word: 'flash',
  help: 'Flash memory.',
  children: [
    {
      word: 'erase',
      help: 'Erase memory, beginning at an address: <address> [<size>]',
      args: [1, 2],
      run: (_host, args, command) => at(args, command, () => ok('Erase success.')),
    },
    {
      word: 'page_info',
      help: 'Show the page that an address is in: <address>',
      args: [1, 1],
      run: (_host, args, command) =>
        at(args, command, (address) =>
          ok(
            `Page for address 0x${address.toString(16)}:`,
            `start offset: 0x${(address - (address % PAGE)).toString(16)}`,
            `size: ${PAGE}`,
            `index: ${Math.floor(address / PAGE)}`,
          ),
        ),
    },
    {
      word: 'read',
      help: 'Show bytes: <address> [<count>]',
      args: [1, 2],
      run: (_host, args, command) =>
        at(args, command, (address, count) =>
          ok(...hexdump(new Uint8Array(Math.min(count ?? 1, READ_MAX)).fill(0xff), address)),
        ),
    },
    {
      word: 'write',
      help: 'Write words of four bytes: <address> <word> ...',
      args: [2, 18],
      run: (_host, args, command) => at(args, command, () => ok('Write OK.', 'Verified.')),
    },
  ],
};

function at(
  [first = '', second]: readonly string[],
  command: Command,
  act: (address: number, count: number | undefined) => CommandResult,
): CommandResult {
  const address = wholeNumber(first);
  const count = second === undefined ? undefined : wholeNumber(second);
  if (address === undefined || address >= SIZE) return refused(EINVAL, ...commandHelp(command));
  if (second !== undefined && count === undefined) return refused(EINVAL, ...commandHelp(command));
  return act(address, count);
}
