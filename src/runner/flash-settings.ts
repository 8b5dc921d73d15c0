/**
 * Configuration written to flash before a device is switched on for the first time.
 */
import { DeviceConfig, type Settings } from '../device/config/device-config.js';
import { type ConfigLayout, configLayout } from '../device/config/layout.js';
import { changeList } from '../device/config/list.js';
import { UsageError } from '../kernel/errors.js';
import type { Profile } from '../profile/profile.js';
import { withoutSecrets } from '../profile/secrets.js';
import { withFirmware } from '../profile/versions.js';
import type { DeviceTypes, KnownDeviceType } from '../scenario/parse/sources.js';

/**
 * Content of the flash after these lines (`app config interval-report 900`). One result serves a whole group: devices share it
 * until they change it.
 * @throws UsageError that lists every line that a device would reject
 */
export function flashSettings(layout: ConfigLayout, lines: readonly string[]): Settings {
  const config = new DeviceConfig(layout);
  const refusals = lines.flatMap((line) => {
    const refusal = write(config, line);
    return refusal === undefined ? [] : [`"${withoutSecrets(line)}" would be rejected: ${refusal}`];
  });
  if (refusals.length > 0) throw new UsageError('bad-config', refusals.join('\n'));
  config.save();
  return config.flash;
}

/** The device types for the checks of a scenario. */
export function deviceTypes(profiles: ReadonlyMap<string, Profile>): DeviceTypes {
  return new Map([...profiles].map(([name, profile]) => [name, knownType(profile)]));
}

function knownType(profile: Profile): KnownDeviceType {
  const layouts = new Map<string | null, ConfigLayout>();
  return {
    versions: profile.firmware.names,
    refusal: (line, firmware) => {
      const layout = layouts.get(firmware) ?? configLayout(withFirmware(profile, firmware).modules);
      layouts.set(firmware, layout);
      return write(new DeviceConfig(layout), line);
    },
  };
}

/** Applies a line; returns why the device rejects it, or undefined. */
function write(config: DeviceConfig, line: string): string | undefined {
  const [, module = '', name = '', value = ''] = /^(\S+) config (\S+) (.*)$/.exec(line) ?? [];
  const { list } = config.layout.module(module) ?? {};
  if (list?.name === name) {
    const outcome = changeList(config, list, value.split(' '));
    if (outcome === 'done') return undefined;
    return outcome === 'unknown' ? `"${value}" is not a command of this list` : outcome.complaint;
  }
  const item = config.layout.find(module, name);
  if (item === undefined) return 'the device type has no such parameter';
  const refusal = config.write(item, value.replace(/^(["'])(.*)\1$/, '$2'));
  return refusal?.map((text) => text.trim().replace(/\s+/g, ' ')).join('; ');
}
