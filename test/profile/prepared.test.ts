import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { packagedFiles } from '../../src/profile/library.js';
import { makePlain } from '../../src/profile/plain.js';
import { prepareProfile, readPrepared } from '../../src/profile/prepared.js';
import type { Profile } from '../../src/profile/profile.js';
import { readProfile } from '../../src/profile/read.js';

const CLIME = 'profiles/clime.yaml';

describe('a prepared profile', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ghostfleet-test-'));
  const path = join(folder, 'profile.bin');
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(['clime', 'push-fm', 'wmbus'])('has the same content as the YAML of %s, in all firmware versions', (name) => {
    const yaml = `profiles/${name}.yaml`;
    writeFileSync(path, prepareProfile(yaml, packagedFiles));
    const profile = readPrepared(path, yaml, packagedFiles) as Profile;
    expect(makePlain(profile)).toEqual(makePlain(readProfile(packagedFiles(yaml) ?? '', yaml, packagedFiles)));
  });

  it('is not used after a change of its YAML file, or of a file that its YAML file extends', () => {
    writeFileSync(path, prepareProfile(CLIME, packagedFiles));
    expect(readPrepared(path, CLIME, packagedFiles)).toBeDefined();
    for (const changed of [CLIME, 'profiles/common/chester.yaml']) {
      const load = (name: string) => `${packagedFiles(name)}${name === changed ? '# changed' : ''}`;
      expect(readPrepared(path, CLIME, load), changed).toBeUndefined();
    }
  });

  it('is not used if the file is missing, damaged, or that of another profile', () => {
    expect(readPrepared(join(folder, 'missing.bin'), CLIME, packagedFiles)).toBeUndefined();
    const content = prepareProfile(CLIME, packagedFiles);
    for (const damaged of [0, 40, content.length - 1]) {
      writeFileSync(path, content.with(damaged, 1 ^ (content[damaged] ?? 0)));
      expect(readPrepared(path, CLIME, packagedFiles), `byte ${damaged}`).toBeUndefined();
    }
    writeFileSync(path, content);
    expect(readPrepared(path, 'profiles/control.yaml', packagedFiles)).toBeUndefined();
  });

  it('is not used if a newer version of Node wrote it', () => {
    const content = prepareProfile(CLIME, packagedFiles).slice(32);
    // The second byte is the version of the serialization format of Node.
    content[1] = 255;
    writeFileSync(path, Buffer.concat([createHash('sha256').update(content).digest(), content]));
    expect(readPrepared(path, CLIME, packagedFiles)).toBeUndefined();
  });
});
