/** Folders that the user may not read or enter, such as lost+found, a volume of Docker, or the runs of another user. */
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { program } from '../../scripts/support/program.js';
import { describeRefusal } from '../../src/kernel/system-errors.js';
import { ghostfleet } from '../support/host.js';

/** A user without rights. */
const USER = 65_534;
const SMALL = 'name: small\nduration: 5m\nfleet: [{ name: clime, profile: clime, count: 1 }]\n';

/** Only root can start a process as another user, and root may read everything. */
describe.runIf(process.getuid?.() === 0)('a folder that cannot be entered', () => {
  const main = resolve(program());
  let folder = '';

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gf-'));
    chmodSync(folder, 0o755);
    writeFileSync(join(folder, 'small.yaml'), SMALL);
    await ghostfleet(['run', join(folder, 'small.yaml'), '--out', join(folder, 'good')]);
    chmodSync(join(folder, 'good'), 0o755);
    for (const name of ['closed', 'listed']) cpSync(join(folder, 'good'), join(folder, name), { recursive: true });
    mkdirSync(join(folder, 'own', 'profiles'), { recursive: true });
    writeFileSync(join(folder, 'own', 'small.yaml'), SMALL);
    for (const name of ['closed', 'own/profiles']) chmodSync(join(folder, name), 0);
    // Its files can be listed, but not read.
    chmodSync(join(folder, 'listed'), 0o644);
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** The first line of the errors, and the output, without repeated spaces. */
  function asUser(...args: readonly string[]) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], {
      ...{ cwd: folder, encoding: 'utf8', uid: USER, gid: USER },
      env: { PATH: process.env.PATH, HOME: folder, XDG_RUNTIME_DIR: join(folder, 'closed') },
    });
    return { status, first: stderr.split('\n')[0], lines: stdout.split('\n').map((line) => line.replace(/ +/g, ' ')) };
  }

  it('is listed as such beside the runs that can be read', () => {
    const { status, lines } = asUser('runs');
    expect(status).toBe(0);
    expect(lines).toContainEqual(expect.stringContaining('passed'));
    expect(lines).toContain('! closed: permission denied');
    expect(lines).toContain('! listed: "listed/summary.json" cannot be used: permission denied');
  });

  it.each<readonly [string, readonly string[], string]>([
    ['compare', ['compare', 'closed', 'good'], '"closed/summary.json" cannot be used: permission denied'],
    ['a search for a baseline', ['compare', 'good'], '; "closed" cannot be read: permission denied'],
    ['report', ['report', 'listed'], '"listed/summary.json" cannot be used: permission denied'],
    ['explain', ['explain', 'listed'], '"listed/events.jsonl" cannot be used: permission denied'],
    ['--out', ['run', 'small.yaml', '--out', 'closed'], '"closed/.run-owner" cannot be used: permission denied'],
    ['a scenario', ['validate', 'closed/small.yaml'], '"closed/small.yaml" cannot be read: permission denied'],
    ['profiles', ['validate', 'own/small.yaml'], 'own/profiles" cannot be used: permission denied'],
    ['the console', ['console', 'all : info show'], 'closed/ghostfleet" cannot be used: permission denied'],
  ])('is named by %s', (_, args, message) => {
    const { status, first } = asUser(...args);
    expect([status, first]).toEqual([2, expect.stringContaining(message)]);
  });
});

it('what the system refuses is not taken for a bug; a missing file may be one', () => {
  const failure = (code: string) => Object.assign(new Error(code), { code, syscall: 'lstat', path: 'a/b' });
  expect(describeRefusal(failure('EACCES'))).toBe('"a/b" cannot be used: permission denied');
  expect(describeRefusal(failure('ENAMETOOLONG'))).toBe('"a/b" cannot be used: the path is too long');
  expect(describeRefusal(failure('ENOENT'))).toBe(undefined);
  expect(describeRefusal(new TypeError('x'))).toBe(undefined);
});
