import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { packagedFiles, packagedProfiles } from '../../src/profile/library.js';
import { plainProfile } from '../../src/profile/plain.js';
import { preparedProfile, prepareProfile } from '../../src/profile/prepared.js';
import type { Profile } from '../../src/profile/profile.js';

const CLIME = 'profiles/clime.yaml';

describe('a prepared profile', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ghostfleet-test-'));
  const path = join(folder, 'profile.bin');
  const file = pathToFileURL(path);
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(['clime', 'push-fm', 'wmbus'])('has the same content as the YAML of %s, in all firmware versions', (name) => {
    writeFileSync(path, prepareProfile(`profiles/${name}.yaml`, packagedFiles));
    const profile = preparedProfile(file, packagedFiles) as Profile;
    expect(plainProfile(profile)).toEqual(plainProfile(packagedProfiles().get(name) as Profile));
  });

  it('is not used after a change of its YAML, or of a file that this extends', () => {
    writeFileSync(path, prepareProfile(CLIME, packagedFiles));
    expect(preparedProfile(file, packagedFiles)).toBeDefined();
    for (const changed of [CLIME, 'profiles/common/chester.yaml']) {
      const load = (name: string) => `${packagedFiles(name)}${name === changed ? '# changed' : ''}`;
      expect(preparedProfile(file, load), changed).toBeUndefined();
    }
  });

  it('is not used if the file is missing, or was made by another version of Node', () => {
    expect(preparedProfile(pathToFileURL(join(folder, 'missing.bin')), packagedFiles)).toBeUndefined();
    const content = prepareProfile(CLIME, packagedFiles);
    // The second byte is the version of the format.
    writeFileSync(
      path,
      Uint8Array.from(content, (byte, i) => (i === 1 ? 255 : byte)),
    );
    expect(preparedProfile(file, packagedFiles)).toBeUndefined();
  });
});
