/** The firmware versions that the section `versions` of a profile describes. */
import { describe, expect, it } from 'vitest';
import { InputError } from '../../src/input/problems.js';
import { packagedFiles, packagedProfiles } from '../../src/profile/library.js';
import type { Profile } from '../../src/profile/profile.js';
import { readProfile } from '../../src/profile/read.js';

const packaged = packagedProfiles();

function the<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('missing');
  return value;
}

const clime = the(packaged.get('clime'));
const parameters = ({ modules }: Profile, name: string) =>
  modules.find((module) => module.name === name)?.parameters.map((spec) => spec.name);

/** A profile that is the packaged Clime with something added. */
function climeWith(extra: string): Profile {
  return readProfile(`extends: clime.yaml\n${extra}`, 'profiles/mine.yaml', packagedFiles);
}

describe('the firmware versions of a packaged profile', () => {
  it.each([...packaged.keys()].filter((name) => packaged.get(name)?.family === 'chester'))(
    '%s has the versions 3.5.5 and 4.0.0, and has 4.0.0 by default',
    (name) => {
      const { firmware, identity } = the(packaged.get(name));
      expect(firmware.names).toEqual(['3.5.5', '4.0.0']);
      expect(identity.fwVersion).toBe('v4.0.0');
      expect(the(firmware.with('3.5.5')).identity.fwVersion).toBe('v3.5.5');
    },
  );

  it('Clime 3.5.5 has neither a time limit for reports, nor a spool, nor the configuration module of the spool', () => {
    const older = the(clime.firmware.with('3.5.5'));
    expect(older.timing.sendTimeout).toBeUndefined();
    expect(older.timing.spoolSize).toBeUndefined();
    expect(parameters(older, 'app')).not.toContain('send-timeout');
    expect(parameters(older, 'cloud')).toBeUndefined();
    expect(parameters(clime, 'app')).toContain('send-timeout');
    expect(parameters(clime, 'cloud')).toEqual(['spool-size']);
  });

  it.each(['clime', 'control'])('%s has a smaller buffer in 4.0.0', (name) => {
    const profile = the(packaged.get(name));
    expect([the(profile.firmware.with('3.5.5')).transferBuffer, profile.transferBuffer]).toEqual([16_384, 10_240]);
  });

  it('Serial 3.5.5 has two drivers fewer, and the decoder that was published with it', () => {
    const serial = the(packaged.get('serial'));
    const older = the(serial.firmware.with('3.5.5'));
    const names = ({ sensors }: Profile) => new Set(sensors.map((sensor) => sensor.name));
    expect([...names(serial)].filter((name) => !names(older).has(name))).toEqual(['piketronic', 'solax_g3']);
    expect(older.decoder.hash).toBe('d4a6401737f6883b');
  });
});

describe('a version', () => {
  it('may be named with the v that devices report', () => {
    expect(clime.firmware.with('v3.5.5')).toBe(clime.firmware.with('3.5.5'));
  });

  it('that is the newest is the profile itself', () => {
    expect(clime.firmware.with('4.0.0')).toBe(clime);
  });

  it('that the profile does not describe gives undefined', () => {
    expect(clime.firmware.with('3.4.9')).toBeUndefined();
  });

  it('gives access to the other versions', () => {
    expect(the(clime.firmware.with('3.5.5')).firmware.with('4.0.0')).toBe(clime);
  });

  it('is inherited from an extended profile, and the extending profile can add other versions', () => {
    const mine = climeWith('versions: { 3.4.0: { transfer_buffer: 8192 }, 3.10.0: {} }');
    expect(mine.firmware.names).toEqual(['3.4.0', '3.5.5', '3.10.0', '4.0.0']);
    expect(the(mine.firmware.with('3.4.0')).transferBuffer).toBe(8192);
  });

  it('is compiled on demand, and its problems are then reported with their place', () => {
    const mine = climeWith('versions:\n  3.5.5: { transfer_buffer: 1 }');
    expect(() => mine.firmware.with('3.5.5')).toThrow(/profiles\/mine\.yaml:3:29: .*1/);
  });

  it('with a name that is not a version number is a problem of the file', () => {
    expect(() => climeWith('versions: { newest: {}, 3.5.5: none }')).toThrow(InputError);
    expect(() => climeWith('versions: { newest: {} }')).toThrow(/"newest" .*version such as 3\.5\.5/);
    expect(() => climeWith('versions: 3')).toThrow(/versions: a map from a version/);
    const type = 'extends: common/chester.yaml\nversions: ~';
    const read = () => readProfile(type, 'profiles/mine.yaml', packagedFiles);
    expect(read).toThrow(/no inherited file lists versions, so "~" removes nothing/);
  });
});
