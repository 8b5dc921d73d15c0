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

  test('lists its whole configuration: it fits into the capture buffer of the firmware', () => {
    const { lines } = listConfig(shell, host());
    const hidden = layout.modules.flatMap((module) => module.hidden?.items ?? []);
    // A list adds the line with its count.
    const lists = layout.modules.filter((module) => module.list).length;
    expect(lines).toHaveLength(layout.modules.flatMap((module) => module.items).length - hidden.length + lists);
    expect(lines.at(-1)).toBe('lte config modemtrace false');
  });

  test('accepts its own listing as input, except for the lines of the tag slots', () => {
    const { lines } = listConfig(shell, host());
    const device = host();
    expect(runRemoteConfig(shell, device, lines).kind).toBe(layout.module('tag') ? 'stopped' : 'save');
    const commands = lines.filter((line) => !line.startsWith('tag config devices addr'));
    expect(runRemoteConfig(shell, device, commands)).toEqual({ kind: 'save', ran: commands.length });
    expect(listConfig(shell, device).lines).toEqual(lines);
  });

  test('has a module config command for every module', () => {
    for (const module of layout.modules) {
      const { code, lines } = shell.run(host(), `${module.name} config show`);
      const listed = module.items.length - (module.hidden?.items.length ?? 0) + (module.list ? 1 : 0);
      expect([module.name, code, lines.length]).toEqual([module.name, 0, listed]);
    }
  });
});

describe('motion', () => {
  const profile = packagedProfiles().get('motion');
  if (profile === undefined) throw new Error('no profile motion');
  const shell = buildShell(profile.commands, profile.modules);

  test('lists the settings of its detectors only while no preset makes them', () => {
    const host = { ...fakeHost(), config: new DeviceConfig(configLayout(profile.modules)) };
    const listed = () => shell.run(host, 'app config show').lines.filter((line) => line.includes('config motion-'));
    expect(listed()).toEqual([]);
    expect(shell.run(host, 'app config motion-sens').lines).toEqual(['app config motion-sens 64']);
    shell.run(host, 'app config sensitivity individual');
    expect(listed()).toHaveLength(4);
  });
});
