import { describe, expect, it } from 'vitest';
import type { ShellHost } from '../../../src/device/shell/host.js';
import { listConfig, runRemoteConfig } from '../../../src/device/shell/remote.js';
import { deviceType } from '../../../src/device/type/device-type.js';
import { packagedProfiles } from '../../../src/profile/library.js';
import { shellDevice } from '../shell/shell-device.js';

describe.each([...packagedProfiles()])('%s', (_name, profile) => {
  const type = deviceType(profile);
  const { shell, layout } = type;
  const host = () => shellDevice({ type });

  it('lists its whole configuration, which fits into the capture buffer of the firmware', () => {
    const { lines } = listConfig(shell, host());
    const hidden = layout.modules.flatMap((module) => module.hidden?.items ?? []);
    // Each list adds one line, which shows its number of entries.
    const lists = layout.modules.filter((module) => module.list).length;
    expect(lines).toHaveLength(layout.modules.flatMap((module) => module.items).length - hidden.length + lists);
    expect(lines.at(-1)).toBe('lte config modemtrace false');
  });

  it('accepts its own listing as input, except for the lines of the tag slots', () => {
    const { lines } = listConfig(shell, host());
    const device = host();
    expect(runRemoteConfig(shell, device, lines).kind).toBe(layout.module('tag') ? 'stopped' : 'save');
    const commands = lines.filter((line) => !line.startsWith('tag config devices addr'));
    expect(runRemoteConfig(shell, device, commands)).toEqual({ kind: 'save', ran: commands.length, rejected: false });
    expect(listConfig(shell, device).lines).toEqual(lines);
  });

  it('has the command "<module> config" for every module', () => {
    for (const module of layout.modules) {
      const { code, lines } = shell.run(host(), `${module.name} config show`);
      const listed = module.items.length + (module.list ? 1 : 0);
      expect([module.name, code, lines.length]).toEqual([module.name, 0, listed]);
    }
  });
});

describe('motion', () => {
  const profile = packagedProfiles().get('motion');
  if (profile === undefined) throw new Error('no profile motion');
  const type = deviceType(profile);
  const { shell } = type;

  const motionLines = (host: ShellHost, line: string) =>
    shell.run(host, line).lines.filter((shown) => shown.includes('config motion-'));

  it('always lists the settings of its detectors in "app config show"', () => {
    const host = shellDevice({ type });
    expect(motionLines(host, 'app config show')).toHaveLength(4);
  });

  it('lists these settings in "config show" only while the running configuration uses them', () => {
    const host = shellDevice({ type });
    const listed = () => motionLines(host, 'config show').length;
    expect(listed()).toBe(0);
    shell.run(host, 'app config sensitivity individual');
    expect(listed()).toBe(0);
    host.config.save();
    host.config.boot();
    expect(listed()).toBe(4);
  });
});
