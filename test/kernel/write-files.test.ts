import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { UsageError } from '../../src/kernel/errors.js';
import { PRIVATE } from '../../src/kernel/private-file.js';
import { isDirectory, KINDS, reserve, writeWhole } from '../../src/kernel/write-files.js';

const directory = mkdtempSync(join(tmpdir(), 'ghostfleet-write-'));
afterAll(() => rmSync(directory, { recursive: true }));
const path = (name: string) => join(directory, name);

describe('a file that a command writes', () => {
  it('replaces an existing file, and leaves no temporary file', () => {
    writeFileSync(path('one'), 'old');
    reserve(path('one'));
    expect(readFileSync(path('one'), 'utf8')).toBe('old');
    writeWhole(path('one'), 'new');
    expect([readFileSync(path('one'), 'utf8'), readdirSync(directory)]).toEqual(['new', ['one']]);
  });

  it('replaces a file of its own kind, or an empty one, and no other', () => {
    writeFileSync(path('mine'), 'name: demo\n');
    expect(() => reserve(path('mine'), KINDS.summary)).toThrow(
      `"${path('mine')}" has other content than a summary, and would be replaced`,
    );
    for (const text of ['', '### demo: passed\n']) {
      writeFileSync(path('mine'), text);
      expect(() => reserve(path('mine'), KINDS.summary)).not.toThrow();
    }
    rmSync(path('mine'));
  });

  it('with secrets is private from its first byte, and replaces one that others may read', () => {
    writeFileSync(path('names'), 'old', { mode: 0o644 });
    const modes: number[] = [];
    function* pieces() {
      modes.push(statSync(path('names.part')).mode & 0o777);
      yield 'new';
    }
    writeWhole(path('names'), pieces(), { mode: PRIVATE.file });
    expect([...modes, statSync(path('names')).mode & 0o777]).toEqual([0o600, 0o600]);
    rmSync(path('names'));
  });

  it('is not written through a link that stands in the place of its temporary file', () => {
    writeFileSync(path('elsewhere'), 'untouched');
    for (const write of [reserve, (to: string) => writeWhole(to, 'text')]) {
      symlinkSync(path('elsewhere'), path('linked.part'));
      write(path('linked'));
    }
    expect(readFileSync(path('elsewhere'), 'utf8')).toBe('untouched');
    for (const name of ['elsewhere', 'linked']) rmSync(path(name));
  });

  it.each([
    ['folder', 'it is a directory'],
    ['no/such/file', 'no such directory'],
    ['taken/file', 'a part of the path is a file, not a directory'],
  ])('that cannot be written is rejected both when it is reserved and when it is written: %s', (name, why) => {
    mkdirSync(path('folder'), { recursive: true });
    writeFileSync(path('taken'), '');
    for (const write of [reserve, (to: string) => writeWhole(to, 'text')]) {
      expect(() => write(path(name))).toThrow(`cannot write "${path(name)}": ${why}`);
    }
  });

  it('stays as it was, without a temporary file, if a later piece of it fails', () => {
    const broken = function* () {
      yield 'new';
      throw new UsageError('no-piece', 'no more pieces');
    };
    writeFileSync(path('kept'), 'old');
    expect(() => writeWhole(path('kept'), broken(), { what: 'the table' })).toThrow('cannot write the table');
    expect(readFileSync(path('kept'), 'utf8')).toBe('old');
    expect(readdirSync(directory)).not.toContain('kept.part');
  });

  it.skipIf(process.platform === 'win32')('does not replace a device file such as /dev/null', () => {
    symlinkSync('/dev/null', path('nowhere'));
    reserve(path('nowhere'));
    writeWhole(path('nowhere'), 'text');
    expect(lstatSync(path('nowhere')).isSymbolicLink()).toBe(true);
  });
});

it('a path that cannot be examined does not count as a directory', () => {
  writeFileSync(path('file'), '');
  expect([isDirectory(directory), isDirectory(path('file')), isDirectory(path('file/below'))]).toEqual([
    true,
    false,
    false,
  ]);
});

describe('a named pipe', () => {
  it('without a reader is an error, which no signal is needed to end', () => {
    execFileSync('mkfifo', [path('pipe')]);
    const wait = vi.spyOn(Atomics, 'wait').mockReturnValue('timed-out');
    expect(() => writeWhole(path('pipe'), 'text')).toThrow('no program reads from the pipe');
    expect(wait.mock.calls.length).toBeGreaterThan(100);
    wait.mockRestore();
  });

  it('gets the whole text, although it is longer than the pipe', async () => {
    execFileSync('mkfifo', [path('read')]);
    const text = 'line\n'.repeat(100_000);
    const reader = spawn('sh', ['-c', 'cat "$0" > "$1"', path('read'), path('copy')]);
    writeWhole(path('read'), [text, 'end']);
    await once(reader, 'close');
    expect(readFileSync(path('copy'), 'utf8')).toBe(`${text}end`);
  });
});
