/** The files that a scenario may read. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readerInside, readInside, readText } from '../../src/input/text-file.js';

const top = mkdtempSync(join(tmpdir(), 'ghostfleet-files-'));
afterAll(() => rmSync(top, { recursive: true }));
const folder = join(top, 'scenario');
const secret = join(top, 'secret');

beforeAll(() => {
  mkdirSync(join(folder, 'parts'), { recursive: true });
  writeFileSync(join(folder, 'parts', 'own.csv'), 'own');
  writeFileSync(join(top, 'scenario-2'), 'neighbour');
  writeFileSync(secret, 'secret');
  symlinkSync(secret, join(folder, 'link'));
  symlinkSync(top, join(folder, 'up'));
  symlinkSync(join(folder, 'parts'), join(folder, 'inner'));
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  writeFileSync(join(folder, 'huge'), '');
  truncateSync(join(folder, 'huge'), 65 * 1024 * 1024);
  for (const name of ['one', 'other']) writeFileSync(join(folder, name), 'x'.repeat(33 * 1024 * 1024));
});

describe('a file that a scenario names', () => {
  it.each(['parts/own.csv', './parts/../parts/own.csv', 'inner/own.csv'])(
    'in the folder of the scenario is read: %s',
    (name) => {
      expect(readInside(folder, name).text).toBe('own');
    },
  );

  it.each(['../secret', 'parts/../../secret', 'link', 'up/secret', secret, '../scenario-2', '/etc/hostname'])(
    'outside of the folder is not read: %s',
    (name) => {
      expect(() => readInside(folder, name)).toThrow(
        `"${name}" is not in the folder of the scenario; if you trust the scenario, permit this file with --allow-file (in a program: the option allowFiles)`,
      );
    },
  );

  it('outside of the folder causes the same message, whether it exists or not', () => {
    expect(() => readInside(folder, '../nothing')).toThrow('is not in the folder of the scenario');
  });

  it.each(['../secret', 'link', 'up/secret', secret])(
    'outside of the folder is read if the user permits it: %s',
    (name) => {
      expect(readInside(folder, name, [secret]).text).toBe('secret');
    },
  );

  it('must be a regular file', () => {
    expect(() => readInside(folder, 'pipe')).toThrow('it is not a regular file');
    expect(() => readInside(folder, 'parts')).toThrow('it is a directory');
  });

  it('must not be larger than 64 MiB', () => {
    expect(() => readInside(folder, 'huge')).toThrow('it is larger than 64 MiB');
  });
});

describe('the files that a scenario names', () => {
  it('must not be larger than 64 MiB together', () => {
    const read = readerInside(folder);
    expect(read('one').text).toHaveLength(33 * 1024 * 1024);
    expect(() => read('other')).toThrow('the files of the scenario are together larger than 64 MiB');
  });

  it('are in memory once each, also if a file has two names', () => {
    const read = readerInside(folder);
    expect(read('inner/own.csv')).toBe(read('parts/own.csv'));
    expect(read('./one')).toBe(read('one'));
  });
});

it('a file without an end is not read into memory', async () => {
  await expect(readText('/dev/zero', 2 ** 20)).rejects.toThrow('it is larger than 1 MiB');
});
