import { execFileSync } from 'node:child_process';
import { closeSync, linkSync, lstatSync, openSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AppendedFile } from '../../src/kernel/appended-file.js';
import { isSpecial } from '../../src/kernel/write-files.js';
import { folderOfTest } from '../support/folder-of-test.js';

const opened: number[] = [];
afterEach(() => {
  vi.restoreAllMocks();
  for (const file of opened.splice(0)) closeSync(file);
});
let folder = '';
beforeEach(() => {
  folder = folderOfTest();
});

function write(path: string, text: string): void {
  const file = new AppendedFile(path, `the capture "${path}"`);
  file.write(text);
  file.close();
}

it('a file that is written piece by piece replaces one that others may read, and only its owner may read it', () => {
  const path = join(folder, 'early');
  writeFileSync(path, 'old', { mode: 0o666 });
  write(path, 'keys');
  expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['keys', 0o600]);
});

it.each([
  ['a link', symlinkSync],
  ['a second name', linkSync],
])('%s of another file is replaced, and that file stays as it is', (_, link) => {
  const [path, victim] = [join(folder, 'link'), join(folder, 'victim')];
  writeFileSync(victim, '', { mode: 0o644 });
  link(victim, path);
  write(path, 'keys');
  expect([lstatSync(path).isFile(), readFileSync(path, 'utf8')]).toEqual([true, 'keys']);
  expect([readFileSync(victim, 'utf8'), statSync(victim).mode & 0o777]).toEqual(['', 0o644]);
});

it('a link to a file that does not exist creates no file there', () => {
  symlinkSync(join(folder, 'elsewhere'), join(folder, 'link'));
  write(join(folder, 'link'), 'keys');
  expect([lstatSync(join(folder, 'link')).isFile(), isSpecial(join(folder, 'elsewhere'))]).toEqual([true, false]);
  expect(statSync(join(folder, 'elsewhere'), { throwIfNoEntry: false })).toBeUndefined();
});

it('a directory is an error, also behind a link, which stays', () => {
  symlinkSync(folder, join(folder, 'link'));
  for (const path of [folder, join(folder, 'link')]) expect(() => write(path, '')).toThrow('it is a directory');
  expect(lstatSync(join(folder, 'link')).isSymbolicLink()).toBe(true);
});

describe.skipIf(process.platform === 'win32')('a named pipe', () => {
  const makePipe = () => {
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    return { pipe: join(folder, 'pipe'), wait: vi.spyOn(Atomics, 'wait').mockReturnValue('timed-out') };
  };

  it('without a reader is an error, which no signal is needed to end', () => {
    const { pipe } = makePipe();
    expect(() => write(pipe, '')).toThrow(`cannot write the capture "${pipe}": no program reads from the pipe`);
  });

  it('whose reader reads nothing is an error when it is full', () => {
    const { pipe, wait } = makePipe();
    opened.push(openSync(pipe, 'r+'));
    expect(() => write(pipe, 'x'.repeat(1_000_000))).toThrow('no program reads from the pipe');
    expect(wait).toHaveBeenCalled();
  });
});

it.skipIf(process.platform !== 'linux')('a file that the process has open is not replaced by its name in /dev', () => {
  const file = openSync(join(folder, 'output'), 'w');
  opened.push(file);
  expect(isSpecial(`/dev/fd/${file}`)).toBe(true);
  write(`/dev/fd/${file}`, 'text');
  expect(readFileSync(join(folder, 'output'), 'utf8')).toBe('text');
});
