import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pathInside, readInside } from '../../src/input/text-file.js';
import { expandHome } from '../../src/kernel/home-path.js';
import { folderOfTest } from '../support/folder-of-test.js';
import { ghostfleet } from '../support/host.js';

const SMALL = 'name: small\nduration: 5m\nfleet: [{ name: clime, profile: clime, count: 1 }]\n';

describe('"~" at the beginning of a path', () => {
  it.each([
    ['~/x.db', '/home/ann/x.db'],
    ['~', '/home/ann'],
    ['./~/x.db', './~/x.db'],
    ['/data/~/x.db', '/data/~/x.db'],
    ['~notes.yaml', '~notes.yaml'],
    ['postgres://ann@host/~', 'postgres://ann@host/~'],
  ])('%s is %s for a user with the home /home/ann', (path, wanted) => {
    expect(expandHome(path, { HOME: '/home/ann' })).toBe(wanted);
  });

  it('is rejected for the home of another user, because only a shell knows it', () => {
    expect(() => expandHome('~bob/x.db', { HOME: '/home/ann' })).toThrow(
      '"~bob/" is not replaced by the home directory of bob',
    );
  });

  it('is rejected in a name in a file: it would depend on who runs the scenario', () => {
    const folder = folderOfTest();
    mkdirSync(join(folder, '~'));
    writeFileSync(join(folder, '~', 'x.csv'), 'text');
    const complaint =
      '"~/x.csv" begins with "~", which is replaced in command lines only; a folder of this name is "./~/x.csv"';
    expect(() => readInside(folder, '~/x.csv')).toThrow(complaint);
    expect(() => pathInside(folder, '~/x.csv', 'is elsewhere')).toThrow(complaint);
    expect(readInside(folder, './~/x.csv').text).toBe('text');
  });
});

describe('a command takes "~" for the home directory', () => {
  it.each<readonly [string, readonly string[], string]>([
    ['after an option with an equals sign', ['run', 'FILE', '--out=~/out'], 'out/summary.json'],
    ['in a quoted word', ['run', 'FILE', '--markdown', '~/sum.md'], 'sum.md'],
    ['in the name of the scenario', ['run', '~/small.yaml', '--out=~/other'], 'other/summary.json'],
  ])('%s', async (_, args, made) => {
    const HOME = folderOfTest();
    const file = join(HOME, 'small.yaml');
    writeFileSync(file, SMALL);
    const outcome = await ghostfleet(
      args.map((word) => word.replace('FILE', file)),
      { env: { HOME } },
    );
    expect(outcome).toMatchObject({ exit: 0 });
    expect(existsSync(join(HOME, made))).toBe(true);
  });

  it('in GHOSTFLEET_DB', async () => {
    const HOME = folderOfTest();
    const env = { HOME, GHOSTFLEET_DB: '~/cloud.db' };
    const ports = ['--port', '0', '--udp-port', '0', '--udp-raw-port', '0'];
    await ghostfleet(['serve', ...ports], { env, interruptOn: /Ctrl-C/ });
    expect(existsSync(join(HOME, 'cloud.db'))).toBe(true);
  });

  it('but not in a secret', async () => {
    const args = ['clean', 'some-run', '--api-key=~bob/3'];
    expect((await ghostfleet(args, { env: { HOME: folderOfTest() } })).err).not.toContain('~bob');
  });
});
