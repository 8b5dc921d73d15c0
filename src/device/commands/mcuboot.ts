/** `mcuboot`: the image slots, as Zephyr's tool shows them (shell S-37). */

import { EINVAL } from '../../protocol/errno.js';
import type { Command } from '../shell/command.js';
import { commandHelp } from '../shell/help.js';
import type { ShellHost } from '../shell/host.js';
import { ok, refused } from './results.js';

export const mcuboot: Command = {
  word: 'mcuboot',
  help: 'The images of the bootloader.',
  args: [0, 0],
  run: (host) => ok(...imageLines(host)),
  children: [
    {
      word: 'confirm',
      help: 'Keep the running image.',
      args: [0, 0],
      run: (host) => {
        host.hardware.bootloader?.confirm();
        return ok();
      },
    },
    {
      word: 'request_upgrade',
      help: 'At the next reset, run the image of the other slot: [permanent]',
      args: [0, 1],
      // No effect: an incomplete image cannot start, and for a complete image the download has already requested the swap.
      run: (_host, [how], command) =>
        how === undefined || how === 'permanent' ? ok() : refused(EINVAL, ...commandHelp(command)),
    },
  ],
};

function imageLines({ hardware: { bootloader, build }, profile }: ShellHost): readonly string[] {
  const confirmed = bootloader?.confirmed ?? true;
  const requested = bootloader?.requested?.version;
  const slotSize = profile.bootloader?.slotSize;
  const swap = requested === undefined ? (confirmed ? 'none' : 'revert') : 'test';
  const size = slotSize === undefined ? [] : [`  image size: ${slotSize}`];
  const primary = [
    'primary area (1):',
    `  version: ${numeric(build.version)}`,
    ...size,
    `  magic: ${confirmed ? 'unset' : 'good'}`,
    `  swap type: ${confirmed ? 'none' : 'test'}`,
    `  copy done: ${confirmed ? 'unset' : 'set'}`,
    `  image ok: ${confirmed ? 'set' : 'unset'}`,
  ];
  const secondary =
    requested === undefined
      ? ['failed to read secondary area (2) header: -5']
      : ['secondary area (2):', `  version: ${numeric(requested)}`, ...size, '  magic: good', '  swap type: test'];
  return [`swap type: ${swap}`, `confirmed: ${confirmed ? 1 : 0}`, '', ...primary, '', ...secondary];
}

/** `v3.5.1` as the four numbers of an image header: `3.5.1+0`. */
function numeric(version: string): string {
  const [major = '0', minor = '0', patch = '0'] = version.match(/\d+/g) ?? [];
  return `${major}.${minor}.${patch}+0`;
}
