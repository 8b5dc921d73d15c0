/** `tag`: BLE tags and their configuration (shell S-35). Commands that receive tags are in tag-scan.ts. */

import { EEXIST, EINVAL, ENOENT, ENOSPC } from '../../protocol/errno.js';
import type { ConfigItem } from '../config/layout.js';
import { leadingInteger } from '../config/parse.js';
import type { Command, CommandResult } from '../shell/command.js';
import type { ShellHost } from '../shell/host.js';
import { configLines } from './module-config.js';
import { failed, groupHelp, ok, succeeded } from './results.js';
import { EMPTY_ADDRESS, tagEnroll, tagRead, tagShow } from './tag-scan.js';

const ADDRESS = /^[\da-f]{12}$/i;

export const tag: Command = {
  word: 'tag',
  help: 'BLE tags.',
  run: groupHelp,
  children: [
    {
      word: 'config',
      help: 'Their configuration.',
      args: [0, 0],
      run: groupHelp,
      children: [
        {
          word: 'show',
          help: 'Show every parameter.',
          args: [0, 0],
          run: (host) => ok(...configLines(host.config, host.config.layout.module('tag')?.items ?? [])),
        },
        parameter('enabled', 'Show or set whether tags are scanned: [true | false]'),
        parameter('scan-interval', 'Show or set the seconds from scan to scan: [1-86400]'),
        parameter('scan-duration', 'Show or set the seconds that a scan takes: [1-86400]'),
        {
          word: 'devices',
          help: 'The tags to listen to.',
          args: [0, 0],
          run: groupHelp,
          children: [
            { word: 'add', help: 'Add a tag: <address>', args: [1, 1], run: (host, [text = '']) => add(host, text) },
            {
              word: 'list',
              help: 'List the slots.',
              args: [0, 0],
              run: (host) => succeeded(...configLines(host.config, slotsOf(host))),
            },
            {
              word: 'remove',
              help: 'Remove a tag: <address | slot>',
              args: [1, 1],
              run: (host, [text = '']) => remove(host, text),
            },
            {
              word: 'clear',
              help: 'Remove all tags.',
              args: [0, 0],
              run: (host) => {
                for (const slot of slotsOf(host)) host.config.write(slot, EMPTY_ADDRESS);
                return succeeded();
              },
            },
          ],
        },
      ],
    },
    tagEnroll,
    tagRead,
    tagShow,
  ],
};

/** A command for one parameter. Unlike in other modules, the command fails for a rejected value, and prints no help. */
function parameter(name: string, help: string): Command {
  return {
    word: name,
    help,
    args: [0, 1],
    run: ({ config }, [value]) => {
      const item = config.layout.find('tag', name);
      if (!item) return failed(EINVAL);
      if (value === undefined) return succeeded(...configLines(config, [item]));
      return config.write(item, value) ? failed(EINVAL, 'invalid input') : succeeded();
    },
  };
}

function add(host: ShellHost, text: string): CommandResult {
  // For an invalid address, the firmware reports success and prints the error code as the slot number.
  if (!ADDRESS.test(text)) return succeeded(`tag addr ${text} added to slot ${EINVAL}`);
  const slots = slotsOf(host);
  if (findAddress(host, text)) return failed(EEXIST, `tag addr ${text} already exists`);
  const free = slots.findIndex((slot) => host.config.read(slot) === EMPTY_ADDRESS);
  const slot = slots[free];
  if (!slot) return failed(ENOSPC, 'no slot available');
  host.config.write(slot, text);
  return succeeded(`tag addr ${text} added to slot ${free}`);
}

function remove(host: ShellHost, text: string): CommandResult {
  if (ADDRESS.test(text) || !/^-?\d+$/.test(text)) {
    const slot = findAddress(host, text);
    if (!slot) return failed(ENOENT, `tag addr ${text} not found`);
    host.config.write(slot, EMPTY_ADDRESS);
    return succeeded(`tag addr ${text} removed`);
  }
  const n = leadingInteger(text);
  const slot = slotsOf(host)[n];
  if (!slot) return failed(EINVAL, `slot ${n} out of range`);
  if (host.config.read(slot) === EMPTY_ADDRESS) return failed(ENOENT, 'slot is already empty');
  host.config.write(slot, EMPTY_ADDRESS);
  return succeeded(`slot ${n} removed`);
}

function findAddress({ config }: ShellHost, address: string): ConfigItem | undefined {
  const wanted = address.toLowerCase();
  return slotsOf({ config }).find((slot) => wanted !== EMPTY_ADDRESS && config.read(slot) === wanted);
}

function slotsOf({ config }: Pick<ShellHost, 'config'>): readonly ConfigItem[] {
  return config.layout.module('tag')?.slots ?? [];
}
