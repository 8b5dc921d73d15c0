/** Directories that only their owner may use. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { makePrivateDirectory, makeTemporaryDirectory } from '../../src/kernel/private-directory.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ghostfleet-private-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

it('a directory is created with its parents, and only its owner may use them', () => {
  const path = join(folder, 'a', 'b');
  makePrivateDirectory(path);
  makePrivateDirectory(path);
  for (const each of [path, join(folder, 'a')]) expect(statSync(each).mode & 0o777).toBe(0o700);
});

it.runIf(process.platform === 'linux')('a directory that /proc does not take is refused', () => {
  expect(() => makePrivateDirectory('/proc/1/a/b')).toThrow('ENOENT');
});

it.each([
  ['that does not exist', () => join(folder, 'missing'), 'no such directory'],
  ['that is a file', () => join(folder, 'file'), 'a part of the path is a file'],
  ['in /proc', () => '/proc', 'no such directory'],
])('a TMPDIR %s is named, and what to do', (_, path, why) => {
  writeFileSync(join(folder, 'file'), '');
  vi.stubEnv('TMPDIR', path());
  const wanted = expect.objectContaining({
    message: expect.stringContaining(`cannot create a directory for temporary files in "${path()}": ${why}`),
    hint: expect.stringContaining('set TMPDIR'),
  });
  expect(() => makeTemporaryDirectory('ghostfleet-')).toThrow(wanted);
});
