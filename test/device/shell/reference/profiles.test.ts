/** Shell S-8 and S-16: the commands and the configuration modules of each device type. */
import { describe, expect, it } from 'vitest';
import { COMMAND_GROUPS } from '../../../../src/device/commands/groups.js';
import { listConfig } from '../../../../src/device/shell/remote.js';
import { deviceType } from '../../../../src/device/type/device-type.js';
import { packagedProfiles } from '../../../../src/profile/library.js';
import { shellDevice } from '../shell-device.js';

const COMMON = [
  ...[
    'accel',
    'app',
    'batt',
    'ble',
    'button',
    'cloud',
    'config',
    'gpio',
    'help',
    'i2c',
    'info',
    'kernel',
    'led',
    'lte',
  ],
  ...['mcuboot', 'rtc', 'send', 'settings', 'fs', 'therm', 'flash'],
];
/** The further commands of each application (shell S-8). All its builds have them, except those in BUILDS. */
const OWN: Readonly<Record<string, readonly string[]>> = {
  clime: ['sample', 'aggreg', 'backup', 'lrw', 'tag', 'hygro', 'ds18b20', 'w1'],
  control: ['sample', 'poll', 'channel', 'lrw', 'tag', 'ds18b20', 'w1'],
  current: ['sample', 'aggreg', 'current', 'lrw', 'tag', 'ds18b20', 'w1'],
  demo: ['sample', 'gnss'],
  meteo: ['sample', 'aggreg', 'sensors_read', 'meteo', 'mpl3115a2', 'lrw', 'tag', 'hygro', 'ds18b20', 'w1'],
  motion: ['sample', 'motion'],
  push: ['sample', 'lrw', 'tag'],
  range: ['sample', 'aggreg', 'tag', 'ds18b20', 'w1'],
  scale: ['sample', 'aggreg', 'measure', 'test', 'lrw', 'tag'],
  serial: ['sample', 'serial', 'modbus', 'device', 'lrw', 'tag'],
  wmbus: ['poll', 'wm'],
};
/** Builds with other commands than their application. */
const BUILDS: Readonly<Record<string, readonly string[]>> = {
  'clime-iaq': ['sample', 'aggreg', 'backup', 'iaq', 'lrw', 'tag', 'ds18b20', 'w1'],
  'clime-rtd': ['sample', 'aggreg', 'backup', 'rtd', 'lrw', 'tag', 'ds18b20', 'w1'],
  'clime-tc': ['sample', 'aggreg', 'backup', 'tc', 'lrw', 'tag', 'ds18b20', 'w1'],
  'clime-sps30': ['sample', 'aggreg', 'backup', 'sps30', 'lrw', 'tag', 'ds18b20', 'w1'],
  'clime-radon': ['sample', 'aggreg', 'backup', 'radon', 'lrw', 'tag', 'ds18b20', 'w1'],
};

/** The application of a build: `clime` of `clime-rtd`. */
function applicationOf(name: string): string {
  return name.replace(/-.*/, '');
}

function own(name: string): readonly string[] {
  return BUILDS[name] ?? OWN[applicationOf(name)] ?? [];
}

/** hio devices have other modules and commands: test/device/timing/hio.test.ts. */
const chester = [...packagedProfiles()].filter(([, { family }]) => family === 'chester');

describe.each(chester)('%s', (name, profile) => {
  const type = deviceType(profile);
  const { shell } = type;
  const host = () => shellDevice({ type });

  it('has exactly the root commands of its application, and help lists them in alphabetical order', () => {
    const { lines, code } = shell.run(host(), 'help');
    const listed = lines.slice(3).flatMap((line) => /^ {2}(\S+) +: /.exec(line)?.[1] ?? []);
    expect(code).toBe(0);
    expect(listed).toEqual([...COMMON, ...own(name)].sort());
  });

  it('answers "-h" for its root commands, and for no others', () => {
    const row = new Set([...COMMON, ...own(name)]);
    for (const word of [...Object.keys(COMMAND_GROUPS), 'log', 'sensor', 'history', 'shell', 'clear', 'devmem']) {
      const { lines } = shell.run(host(), `${word} -h`);
      expect([word, lines[0]?.startsWith(`${word} - `)]).toEqual([word, row.has(word)]);
    }
  });

  it('lists its configuration modules: the application first, lte last, and cloud only in Clime', () => {
    const { lines } = shell.run(host(), 'config modules');
    expect(lines[0]).toBe(`app-${applicationOf(name)}`);
    expect(lines.at(-1)).toBe('lte');
    expect(lines.filter((line) => line.startsWith('app')).length).toBe(1);
    expect(lines.includes('cloud')).toBe(applicationOf(name) === 'clime');
  });

  it('accepts every line of its listing as input, except for those that the reference names', () => {
    const device = host();
    const trap = /^tag config devices addr |^app config address count /;
    for (const line of listConfig(shell, device).lines.filter((each) => !trap.test(each))) {
      // The tag module confirms every command; the other modules print nothing.
      const lines = line.startsWith('tag ') ? ['command succeeded'] : [];
      expect([line, shell.run(device, line)]).toEqual([line, { code: 0, lines }]);
    }
  });

  it('has no reboot command except "kernel reboot"', () => {
    for (const line of ['reboot', 'device restart', 'device reboot'])
      expect(shell.run(host(), line).reboot).toBeUndefined();
    expect(shell.run(host(), 'kernel reboot').reboot).toBe('shell');
  });
});

it('the table OWN has a row for every application, and no other row', () => {
  expect([...new Set(chester.map(([name]) => applicationOf(name)))].sort()).toEqual(Object.keys(OWN).sort());
  for (const name of Object.keys(BUILDS)) expect(packagedProfiles().has(name)).toBe(true);
});
