/** Configuration written to flash before a device is switched on for the first time. */
import { DeviceConfig, type Settings } from '../../device/config/device-config.js';
import type { ConfigLayout } from '../../device/config/layout.js';
import { changeList } from '../../device/config/list.js';
import { splitWords } from '../../device/shell/words.js';
import { didYouMean, quote } from '../../input/problems.js';
import { UsageError } from '../../kernel/errors.js';
import { withoutSecrets } from '../../kernel/shell-secrets.js';

/**
 * Content of the flash after these lines (`app config interval-report 900`). One result serves a whole group: the devices share
 * it, and a device that writes a setting gets its own copy.
 * @throws UsageError that lists every line that a device would reject
 */
export function makeFlashSettings(layout: ConfigLayout, lines: readonly string[]): Settings {
  const config = new DeviceConfig(layout);
  const refusals = lines.flatMap((line) => {
    const refusal = findFlashRefusal(config, line);
    return refusal === undefined ? [] : [`"${withoutSecrets(line)}" would be rejected: ${refusal}`];
  });
  if (refusals.length > 0) throw new UsageError('bad-config', refusals.join('\n'));
  config.save();
  return config.flash;
}

/** Applies a line such as `app config interval-report 900` to `config`; returns why the device rejects it, or undefined. */
export function findFlashRefusal(config: DeviceConfig, line: string): string | undefined {
  const { words, unclosed } = splitWords(line);
  const [module = '', command, name = '', ...values] = words;
  if (command !== 'config' || values.length === 0) return 'expected a line such as "app config mode lte"';
  if (unclosed !== undefined) return `not terminated: ${unclosed}`;
  const { list } = config.layout.module(module) ?? {};
  if (list?.name !== name)
    return values.length > 1 ? SURPLUS_VALUE : findParameterRefusal(config, module, name, values[0]);
  const outcome = changeList(config, list, values);
  if (outcome === 'done') return undefined;
  return outcome === 'unknown' ? `${quote(values.join(' '))} is not a command of this list` : outcome.complaint;
}

/** The reason for rejecting a line such as `lte config apn a b`. */
export const SURPLUS_VALUE = 'a parameter has one value';

/**
 * Sets a parameter in `config`; returns why the device rejects it, or undefined.
 * @param value undefined for a line without a value, which only shows the parameter
 */
export function findParameterRefusal(
  config: DeviceConfig,
  module: string,
  name: string,
  value: string | undefined,
): string | undefined {
  const item = config.layout.find(module, name);
  if (item === undefined) return describeUnknownParameter(config.layout, module, name);
  const refusal = value === undefined ? undefined : config.write(item, value);
  return refusal?.lines.map((text) => text.trim().replace(/\s+/g, ' ')).join('; ');
}

function describeUnknownParameter({ modules, module }: ConfigLayout, wanted: string, name: string): string {
  const { items = [], list } = module(wanted) ?? {};
  const other = modules.find((one) => one.name !== wanted && one.items.some(({ spec }) => spec.name === name));
  const names = [...items.map(({ spec }) => spec.name), ...(list ? [list.name] : [])];
  const near = other ? ` (did you mean ${quote(`${other.name} ${name}`)}?)` : didYouMean(name, names);
  return `the device type has no parameter ${quote(`${wanted} ${name}`)}${near}`;
}
