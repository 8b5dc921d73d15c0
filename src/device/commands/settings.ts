/** `settings` changes the configuration in flash (shell S-37): in effect after a boot, if no `config save` overwrites it. */
import { Buffer } from 'node:buffer';
import type { ParameterSpec, ParameterValue } from '../../profile/parameters.js';
import { EINVAL, EIO, ENOENT } from '../../protocol/errno.js';
import type { ConfigItem } from '../config/layout.js';
import type { Command, CommandResult } from '../shell/command.js';
import { commandHelp } from '../shell/help.js';
import type { ShellHost } from '../shell/host.js';
import { hexdump } from './hexdump.js';
import { ok, refused } from './results.js';

export const settings: Command = {
  word: 'settings',
  help: 'The stored configuration.',
  children: [
    {
      word: 'delete',
      help: 'Delete a setting: <name>',
      args: [1, 1],
      run: (host, [name = '']) => {
        const item = find(host, name);
        if (!item) return notFound();
        return host.config.poke(item, undefined) ? ok() : refused(EIO, `Failed to delete setting: ${EIO}`);
      },
    },
    {
      word: 'list',
      help: 'List the settings: [<subtree>]',
      args: [0, 1],
      run: (host, [subtree]) =>
        ok(...stored(host).filter((key) => subtree === undefined || key.startsWith(`${subtree}/`))),
    },
    {
      word: 'read',
      help: 'Show a setting: [hex | string] <name>',
      args: [1, 2],
      run: (host, args, command) => {
        const [type, name] = typed(args, 1);
        if (type === undefined) return refused(EINVAL, ...commandHelp(command));
        const item = find(host, name ?? '');
        if (!item || !stored(host).includes(item.key)) return notFound();
        const value = host.config.flash.get(item.key) ?? item.default;
        return type === 'hex'
          ? ok(...hexdump(encode(item.spec, value)))
          : ok(encode(item.spec, value).toString('latin1'));
      },
    },
    {
      word: 'write',
      help: 'Write a setting: [hex | string] <name> <value>',
      args: [2, 3],
      run: (host, args, command) => {
        const [type, name, text = ''] = typed(args, 2);
        if (type === undefined) return refused(EINVAL, ...commandHelp(command));
        const item = find(host, name ?? '');
        const value = item && decode(item.spec, Buffer.from(text, type === 'hex' ? 'hex' : 'latin1'));
        // Zephyr's tool stores any value under any name. This shell accepts only settings that the firmware can read back.
        if (!item || value === undefined) return refused(EINVAL, `Failed to write setting: ${EINVAL}`);
        return host.config.poke(item, value) ? ok() : refused(EIO, `Failed to write setting: ${EIO}`);
      },
    },
  ],
};

/**
 * The type of the value, then the other words. A missing type is `hex`; an unknown type becomes undefined.
 * @param rest number of words after the type
 */
function typed(args: readonly string[], rest: number): readonly (string | undefined)[] {
  if (args.length === rest) return ['hex', ...args];
  const [type, ...words] = args;
  return [type === 'hex' || type === 'string' ? type : undefined, ...words];
}

/** The keys in flash: all settings if at least one value in flash differs from its default, otherwise none. */
function stored({ config }: ShellHost): readonly string[] {
  if (config.flash.size === 0) return [];
  return config.layout.modules.flatMap((module) => module.items.map((item) => item.key));
}

function find({ config }: ShellHost, key: string): ConfigItem | undefined {
  for (const module of config.layout.modules) {
    const item = module.items.find((each) => each.key === key);
    if (item) return item;
  }
  return undefined;
}

function notFound(): CommandResult {
  return refused(ENOENT, 'Setting not found');
}

/** The bytes that the firmware stores. For an enum, they are the index of the value; a text ends with a zero byte. */
function encode(spec: ParameterSpec, value: ParameterValue): Buffer {
  const bytes = Buffer.alloc(4);
  switch (spec.type) {
    case 'int':
      bytes.writeInt32LE(Number(value));
      return bytes;
    case 'float':
      bytes.writeFloatLE(Number(value));
      return bytes;
    case 'enum':
      bytes.writeInt32LE(spec.values.indexOf(String(value)));
      return bytes;
    case 'bool':
      return Buffer.from([value ? 1 : 0]);
    case 'string':
      return Buffer.from(`${value}\0`, 'latin1');
    case 'hex':
      return Buffer.from(String(value), 'hex');
    default:
      return spec satisfies never;
  }
}

/** The value of stored bytes; undefined if they are not valid for the parameter. */
function decode(spec: ParameterSpec, bytes: Buffer): ParameterValue | undefined {
  const fits = (length: number) => bytes.length === length;
  switch (spec.type) {
    case 'int':
    case 'float': {
      if (!fits(4)) return undefined;
      const value = spec.type === 'int' ? bytes.readInt32LE() : bytes.readFloatLE();
      return value >= spec.min && value <= spec.max ? value : undefined;
    }
    case 'enum':
      return fits(4) ? spec.values[bytes.readInt32LE()] : undefined;
    case 'bool':
      return fits(1) ? bytes[0] !== 0 : undefined;
    case 'string': {
      const text = bytes.toString('latin1').replace(/\0.*$/, '');
      return text.length <= spec.maxLength ? text : undefined;
    }
    case 'hex':
      return fits(spec.size) ? bytes.toString('hex') : undefined;
    default:
      return spec satisfies never;
  }
}
