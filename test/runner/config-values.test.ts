/** The way of a configuration value from a scenario into the flash of a device. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DeviceConfig } from '../../src/device/config/device-config.js';
import { applyConfigLines, runRemoteConfig } from '../../src/device/shell/remote.js';
import { deviceType } from '../../src/device/type/device-type.js';
import { Problems, readYaml } from '../../src/input/document.js';
import { valueNode } from '../../src/input/value.js';
import { packagedProfiles } from '../../src/profile/library.js';
import { chooseFirmware } from '../../src/profile/versions.js';
import { describeDeviceTypes } from '../../src/runner/known-types.js';
import { makeFlashSettings } from '../../src/runner/world/flash-settings.js';
import { configLines } from '../../src/scenario/values/config-lines.js';
import { shellDevice } from '../device/shell/shell-device.js';

const profiles = packagedProfiles();
const typeOf = (name: string) => {
  const profile = profiles.get(name);
  if (profile === undefined) throw new Error(`no profile ${name}`);
  return deviceType(chooseFirmware(profile, null));
};
const clime = typeOf('clime');
const hio = typeOf('hio-node');

/** The lines of `config: { lte password: <value> }`. */
function linesFor(value: string): readonly string[] {
  const problems = new Problems();
  const lines = configLines(valueNode({ 'lte password': value }, 'config'), problems);
  problems.finish();
  return lines ?? [];
}

/** What a device has in its flash after a configuration downlink. */
function afterDownlink(lines: readonly string[]): string {
  const config = new DeviceConfig(clime.layout);
  expect(runRemoteConfig(clime.shell, shellDevice({ config }), lines)).toMatchObject({
    kind: 'save',
    rejected: false,
  });
  config.save();
  config.boot();
  return config.text('lte', 'password');
}

function afterProvisioning(lines: readonly string[]): string {
  return new DeviceConfig(clime.layout, makeFlashSettings(clime.layout, lines)).text('lte', 'password');
}

const HARD = [
  'DOMAIN\\user',
  'a"b',
  'ends\\',
  "it's",
  `"'\\`,
  '\\x61',
  '\\0141',
  '\\"',
  'a b ',
  '\t',
  '""',
  'žluť',
  '"x"',
  "'x'",
];

describe('a value of a map', () => {
  it.each(HARD)('%j is the same in the flash of a new device and after a downlink', (value) => {
    const lines = linesFor(value);
    expect([afterProvisioning(lines), afterDownlink(lines)]).toEqual([value, value]);
  });

  it('of any printable characters is unchanged', () => {
    const hard = fc.string({ unit: fc.constantFrom('\\', '"', "'", ' ', 'x', '0', '6', '1', 'ž'), maxLength: 12 });
    fc.assert(
      fc.property(hard, (value) => {
        const lines = linesFor(value);
        expect([afterProvisioning(lines), afterDownlink(lines)]).toEqual([value, value]);
      }),
    );
  });

  it('reaches an hio device unchanged if its firmware can express it', () => {
    for (const value of ['DOMAIN\\user', 'a b', "it's", '\\d', '']) {
      const config = new DeviceConfig(hio.layout);
      expect(applyConfigLines(config, linesFor(value))).toMatchObject({ kind: 'save' });
      config.save();
      config.boot();
      expect(config.text('lte', 'password')).toBe(value);
    }
  });

  it('that an hio device would store with backslashes is refused with the way out', () => {
    const { configRefusal } = describeDeviceTypes(profiles).get('hio-node')?.version(null) ?? {};
    for (const value of ['a"b', 'ends\\']) {
      expect(linesFor(value).map((line) => configRefusal?.(line))).toEqual([
        'the firmware would store the backslashes, too; write the line in a list, without them',
      ]);
    }
    expect(configRefusal?.('lte config password a"b')).toBeUndefined();
  });
});

it('a line of a group is read as the shell reads it', () => {
  expect(afterProvisioning([`lte config password 'a"b'`])).toBe('a"b');
  expect(afterProvisioning(['lte config password a\\ b'])).toBe('a b');
  expect(() => afterProvisioning(['lte config password a b'])).toThrow('a parameter has one value');
  expect(() => afterProvisioning(['lte config password "a'])).toThrow('not terminated: "');
});

it('a value in YAML keeps its backslashes and quotation marks', () => {
  const node = readYaml(`{ lte username: 'DOMAIN\\user', lte password: "a\\"b\\\\" }`, 'config.yaml');
  const lines = configLines(node, new Problems()) ?? [];
  const config = new DeviceConfig(clime.layout, makeFlashSettings(clime.layout, lines));
  expect([config.text('lte', 'username'), config.text('lte', 'password')]).toEqual(['DOMAIN\\user', 'a"b\\']);
});
