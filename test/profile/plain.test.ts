import { expect, it } from 'vitest';
import { packagedProfiles } from '../../src/profile/library.js';
import { makePlain, restoreProfile } from '../../src/profile/plain.js';
import type { Profile } from '../../src/profile/profile.js';

/** All firmware versions of a profile, by their names, without functions. */
const versionsOf = ({ firmware }: Profile) =>
  firmware.names.map((name) => ({ name, ...firmware.with(name), firmware: firmware.names }));

it('a profile that was copied as plain data has the same content in all firmware versions', () => {
  const profile = packagedProfiles().get('clime') as Profile;
  const copy = restoreProfile(structuredClone(makePlain(profile)));
  expect(versionsOf(copy)).toEqual(versionsOf(profile));
  expect(copy.firmware.names.length).toBeGreaterThan(1);
  expect(copy.firmware.with('0.0.1')).toBeUndefined();
});

it('a copy of a profile with an older firmware version contains itself in its list of versions', () => {
  const older = packagedProfiles().get('clime')?.firmware.with('3.5.5') as Profile;
  const copy = restoreProfile(structuredClone(makePlain(older)));
  expect(copy.identity).toEqual(older.identity);
  expect(copy.firmware.with('3.5.5')).toBe(copy);
  expect(versionsOf(copy)).toEqual(versionsOf(older));
});
