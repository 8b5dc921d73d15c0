/**
 * Configuration written to flash at the bench, before a device is switched on for the first time.
 */

import { DeviceConfig, type Settings } from '../device/config/device-config.js';
import type { ConfigLayout } from '../device/config/layout.js';
import { UsageError } from '../kernel/errors.js';

/**
 * What flash holds after these lines (`app config interval-report 900`). One result serves a whole group: devices share it
 * until they change it.
 * @throws UsageError that lists every line that a device would refuse
 */
export function benchSettings(layout: ConfigLayout, lines: readonly string[], group: string): Settings {
  const config = new DeviceConfig(layout);
  const problems = lines.flatMap((line) => {
    const [, module = '', name = '', quoted = ''] = /^(\S+) config (\S+) (.*)$/.exec(line) ?? [];
    const item = layout.find(module, name);
    if (item === undefined) return [`group "${group}": the device type has no parameter for "${line}"`];
    const refusal = config.write(item, quoted.replace(/^(["'])(.*)\1$/, '$2'));
    return refusal ? [`group "${group}": "${line}" is refused: ${refusal.map((text) => text.trim()).join(' ')}`] : [];
  });
  if (problems.length > 0) throw new UsageError('bad-config', problems.join('\n'));
  config.save();
  return config.flash;
}
