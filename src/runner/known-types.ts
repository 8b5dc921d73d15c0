/** Parameters, commands and data keys of each device type and version, against which scenarios are checked. */
import { groupHelp } from '../device/commands/results.js';
import { DeviceConfig } from '../device/config/device-config.js';
import type { ConfigList } from '../device/config/layout.js';
import { changeList } from '../device/config/list.js';
import type { Command } from '../device/shell/command.js';
import { readConfigLine } from '../device/shell/remote.js';
import { isRejected } from '../device/shell/shell.js';
import { splitWords } from '../device/shell/words.js';
import { type DeviceType, deviceType } from '../device/type/device-type.js';
import { didYouMean, quote } from '../input/problems.js';
import { LazyMap } from '../kernel/lazy-map.js';
import { humanCount } from '../kernel/quantity.js';
import type { Profile } from '../profile/profile.js';
import { chooseFirmware } from '../profile/versions.js';
import { CodecError } from '../protocol/codec.js';
import { encodeBody } from '../protocol/encode.js';
import { encodeDown, MessageError } from '../protocol/messages/index.js';
import type { DeviceTypes, KnownDeviceType } from '../scenario/parse/sources.js';
import type { KnownVersion } from '../scenario/values/sending.js';
import { findFlashRefusal, findParameterRefusal, SURPLUS_VALUE } from './world/flash-settings.js';

/** The device types for the checks of a scenario. A type and a version are built when a scenario first refers to them. */
export function describeDeviceTypes(profiles: ReadonlyMap<string, Profile>): DeviceTypes {
  // The cast is safe because `LazyMap` passes only the names in `profiles`.
  return new LazyMap(profiles.keys(), (name) => describeType(profiles.get(name) as Profile));
}

function describeType(profile: Profile): KnownDeviceType {
  const versions = new Map<string | null, KnownVersion>();
  return {
    versions: profile.firmware.names,
    version: (firmware) => {
      const version = versions.get(firmware) ?? describeVersion(deviceType(chooseFirmware(profile, firmware)));
      versions.set(firmware, version);
      return version;
    },
  };
}

function describeVersion(type: DeviceType): KnownVersion {
  return {
    flashRefusal: (line) => findFlashRefusal(new DeviceConfig(type.layout), line),
    lineRefusal: (line) => findLineRefusal(type, line),
    configRefusal: (line) => findConfigLineRefusal(type, line),
    lengthRefusal: (lines, by) => findLengthRefusal(type.profile, lines, by),
    dataRefusal: (key, value) => findDataRefusal(type.profile.encoder, key, value),
  };
}

/** Why the shell rejects a line; undefined if the firmware accepts the line, or if that depends on the state of the device. */
function findLineRefusal({ shell, layout }: DeviceType, line: string): string | undefined {
  const { words, unclosed } = splitWords(line);
  const found = shell.find(line);
  if (!('command' in found)) {
    if (!isRejected(found)) return undefined;
    const unknown = unclosed === undefined ? findUnknownWord(shell.commands, words) : undefined;
    return unknown ?? found.lines[0] ?? 'the line has no command';
  }
  const { command, args } = found;
  if (command.run === groupHelp) return args.length === 0 ? undefined : findUnknownWord(shell.commands, words);
  const [module = ''] = words;
  if (command.word !== 'config' || layout.module(module) === undefined) return undefined;
  return findConfigRefusal(new DeviceConfig(layout), module, args);
}

/** Why a line of a configuration downlink is rejected; undefined if the firmware accepts it. */
function findConfigLineRefusal(type: DeviceType, line: string): string | undefined {
  if (type.policy.downlinks.shellRunsConfig) return findLineRefusal(type, line);
  const { module, name, value } = readConfigLine(line) ?? {};
  if (module === undefined || name === undefined) return 'expected a line such as "app config mode lte"';
  // `configLines` writes a map for the shell.
  if (value !== undefined && /\\[\s"'\\]/.test(value))
    return 'the firmware would store the backslashes, too; write the line in a list, without them';
  return findParameterRefusal(new DeviceConfig(type.layout), module, name, value);
}

/** Why `<module> config <words>` is rejected; undefined if it is not. */
function findConfigRefusal(config: DeviceConfig, module: string, words: readonly string[]): string | undefined {
  const [name, ...values] = words;
  if (name === undefined || (name === 'show' && values.length === 0)) return undefined;
  const { items = [], list } = config.layout.module(module) ?? {};
  if (name === list?.name) return values.length === 0 ? undefined : listRefusal(config, list, values);
  const [value, surplus] = values;
  if (surplus !== undefined) return SURPLUS_VALUE;
  if (!name.endsWith('*')) return findParameterRefusal(config, module, name, value);
  const begin = name.slice(0, -1);
  const meant = items.filter(({ spec }) => spec.name.startsWith(begin));
  if (meant.length === 0) return `the device type has no parameter ${quote(`${module} ${name}`)}`;
  const refusals = meant.map(({ spec }) => findParameterRefusal(config, module, spec.name, value));
  return refusals.find((refusal) => refusal !== undefined);
}

/** Why a list's command is rejected, or undefined. The list's present content is ignored: it is the device's. */
function listRefusal(config: DeviceConfig, list: ConfigList, words: readonly string[]): string | undefined {
  const outcome = changeList(config, list, words);
  if (outcome === 'unknown') return `${quote(words.join(' '))} is not a command of this list`;
  return outcome !== 'done' && outcome.complaint.startsWith('invalid') ? outcome.complaint : undefined;
}

/** The first unknown word of a command, or undefined. Arguments of a command without subcommands are not checked. */
function findUnknownWord(roots: readonly Command[], words: readonly string[]): string | undefined {
  let candidates = roots;
  for (const [i, word] of words.entries()) {
    const found = candidates.find((command) => command.word === word);
    if (found === undefined) {
      const near = didYouMean(
        word,
        candidates.map((command) => command.word),
      );
      const group = words.slice(0, i).join(' ');
      return i === 0
        ? `unknown command ${quote(word)}${near}`
        : `unknown subcommand ${quote(word)} of ${quote(group)}${near}`;
    }
    if (found.children === undefined) return undefined;
    candidates = found.children;
  }
  return undefined;
}

/** An id of a message, which the cloud chooses. */
const ANY_ID = new Uint8Array(16);

/** Why a downlink with these lines never arrives; undefined if it fits into the buffer of the device. */
function findLengthRefusal(
  { transferBuffer }: Profile,
  lines: readonly string[],
  type: 'shell' | 'config',
): string | undefined {
  const limit = `a device of this version can receive ${humanCount(transferBuffer)}; send fewer or shorter lines at once`;
  try {
    const { length } = encodeDown(
      type === 'shell'
        ? { kind: 'download-shell', commands: lines, messageId: ANY_ID }
        : { kind: 'download-config', lines },
    );
    return length <= transferBuffer ? undefined : `the downlink has ${humanCount(length)} bytes; ${limit}`;
  } catch (error) {
    if (error instanceof MessageError) return `${error.message}; ${limit}`;
    throw error;
  }
}

function findDataRefusal(encoder: Profile['encoder'], key: string, value: unknown): string | undefined {
  if (encoder === undefined) return 'the device type takes no data';
  if (!encoder.numbers.has(key)) {
    const names = encoder.keys.flatMap(({ path, name }) => (path === name ? [name] : []));
    return `unknown key ${quote(key)}${didYouMean(key, names)}`;
  }
  try {
    encodeBody(encoder, { [key]: value });
    return undefined;
  } catch (error) {
    if (error instanceof CodecError) return error.message;
    throw error;
  }
}
