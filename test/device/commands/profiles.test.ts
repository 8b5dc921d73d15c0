import { describe, expect, test } from 'vitest';
import { buildShell } from '../../../src/device/commands/index.js';
import { DeviceConfig } from '../../../src/device/config/device-config.js';
import { configLayout } from '../../../src/device/config/layout.js';
import { listConfig, runRemoteConfig } from '../../../src/device/shell/remote.js';
import { packagedProfiles } from '../../../src/profile/library.js';
import { fakeHost } from '../shell/fake-host.js';

describe.each([...packagedProfiles()])('%s', (_name, profile) => {
  const shell = buildShell(profile.commands, profile.modules);
  const layout = configLayout(profile.modules);
  const host = () => ({ ...fakeHost(), config: new DeviceConfig(layout) });

  test('lists its configuration whole: the capture of the firmware is large enough', () => {
    const { lines } = listConfig(shell, host());
    expect(lines).toHaveLength(layout.modules.flatMap((module) => module.items).length);
    expect(lines.at(-1)).toBe('lte config modemtrace false');
  });

  test('takes its own listing back, but for the lines of the tag slots', () => {
    const { lines } = listConfig(shell, host());
    const device = host();
    expect(runRemoteConfig(shell, device, lines).kind).toBe('stopped');
    const commands = lines.filter((line) => !line.startsWith('tag config devices addr'));
    expect(runRemoteConfig(shell, device, commands)).toEqual({ kind: 'save', ran: commands.length });
    expect(listConfig(shell, device).lines).toEqual(lines);
  });

  test('has a module config command for every module', () => {
    for (const module of layout.modules) {
      const { code, lines } = shell.run(host(), `${module.name} config show`);
      expect([module.name, code, lines.length]).toEqual([module.name, 0, module.items.length]);
    }
  });
});
