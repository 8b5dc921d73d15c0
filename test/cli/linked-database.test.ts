/**
 * A database file that is named by a symbolic link: the file behind the link is used, and everything is beside it. A file with
 * hard links is refused, because nothing says beside which name its log is.
 */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openStore } from '../../src/cloud/open-store.js';
import { furnish, insert, message } from '../cloud/store/rows.js';
import { bundled } from '../support/bundled.js';
import { ghostfleet } from '../support/host.js';

const top = mkdtempSync(join(tmpdir(), 'ghostfleet-links-'));
afterAll(() => rmSync(top, { recursive: true }));

let count = 0;

/** A folder `app` with a link, and a folder `data` to which it leads. @param chain how many links follow each other */
function linked(chain = 1) {
  const folder = join(top, String(++count));
  for (const name of ['app', 'data']) mkdirSync(join(folder, name), { recursive: true });
  const [link, file] = [join(folder, 'app', 'g.db'), join(folder, 'data', 'real.db')];
  let to = join('..', 'data', 'real.db');
  for (let n = 1; n < chain; n++) {
    symlinkSync(to, join(folder, 'app', `link-${n}`));
    to = `link-${n}`;
  }
  symlinkSync(to, link);
  return { link, file, app: () => readdirSync(join(folder, 'app')) };
}

async function filled(path: string): Promise<void> {
  const store = await openStore(path);
  await furnish(store);
  await store.commit([insert.message(message(1))]);
  await store.close();
}

describe('a symbolic link in place of a database', () => {
  it.each([1, 3])(
    'to a file that does not exist creates this file, and nothing beside the link (%i links)',
    async (n) => {
      const { link, file, app } = linked(n);
      const before = app();
      await filled(link);
      await filled(file).catch(() => {});
      expect(app()).toEqual(before);
      for (const suffix of ['', '-key', '-tail']) expect(existsSync(file + suffix)).toBe(true);
    },
  );

  it('to an existing file accepts commits', async () => {
    const { link, file, app } = linked();
    await filled(file);
    const store = await openStore(link);
    await store.commit([insert.message(message(2))]);
    await store.close();
    expect(app()).toEqual(['g.db']);
  });

  it('is in use if the file is in use by its own name, and the other way round', async () => {
    const { link, file } = linked();
    for (const [one, other] of [
      [link, file],
      [file, link],
    ] as const) {
      const store = await openStore(one);
      await expect(openStore(other)).rejects.toThrow(`"${file}" is in use by another process`);
      await store.close();
    }
  });

  it('is followed by doctor, backup and secrets', async () => {
    const { link, file, app } = linked();
    await filled(file);
    const examined = await ghostfleet(['doctor', link]);
    expect([examined.exit, examined.out]).toEqual([0, expect.stringContaining(`in ${file}-key`)]);
    expect((await ghostfleet(['backup', link, `${file}-copy`])).exit).toBe(0);
    const { exit, out } = await ghostfleet(['secrets', 'rotate', link]);
    expect([exit, out]).toEqual([0, expect.stringContaining(`the new key is in ${file}-key`)]);
    expect(app()).toEqual(['g.db']);
  });

  it('is not replaced by a backup or a saved copy', async () => {
    const { link, file } = linked();
    const source = join(top, 'source.db');
    await filled(source);
    for (const words of [
      ['backup', source, link],
      ['doctor', source, '--save', link],
    ]) {
      const { exit, err } = await ghostfleet(words);
      expect([exit, err]).toEqual([2, expect.stringContaining('exists already')]);
    }
    expect(readlinkSync(link)).toContain('real.db');
    expect(existsSync(file)).toBe(false);
  });

  it('that leads in a circle, to a missing folder, or to a file that belongs to a database is rejected', async () => {
    const [circle, missing, owner] = ['circle.db', 'missing.db', 'owner.db'].map((name) => join(top, name));
    symlinkSync('circle.db', circle ?? '');
    symlinkSync('nowhere/x.db', missing ?? '');
    symlinkSync('x.db-owner', owner ?? '');
    await expect(openStore(circle ?? '')).rejects.toThrow('is a link that leads in a circle');
    await expect(openStore(missing ?? '')).rejects.toThrow('its directory does not exist');
    await expect(openStore(owner ?? '')).rejects.toThrow('files that end in "-owner" belong to another database');
  });
});

describe('a database file with hard links', () => {
  const COMMANDS: readonly (readonly [string, (db: string) => readonly string[]])[] = [
    ['serve', (db) => ['serve', '--port', '0', '--db', db]],
    ['doctor', (db) => ['doctor', db]],
    ['backup', (db) => ['backup', db, `${db}.copy`]],
    ['secrets', (db) => ['secrets', 'rotate', db]],
  ];

  it.each(COMMANDS)('is refused by %s under each of its names and behind a symbolic link', async (_, naming) => {
    const { link, file } = linked();
    await filled(file);
    linkSync(file, `${file}.other`);
    for (const name of [file, `${file}.other`, link]) {
      const { exit, err } = await ghostfleet(naming(name));
      expect([exit, err]).toEqual([2, expect.stringMatching(/"[^"]*real\.db(\.other)?" has 2 names \(hard links\)/)]);
      expect(err).toContain(`-samefile`);
    }
    expect(existsSync(`${file}.other-owner`)).toBe(false);
  });

  it('is refused by a second service while the first one is running', async () => {
    const { file } = linked();
    const store = await openStore(file);
    linkSync(file, `${file}.other`);
    await expect(openStore(`${file}.other`)).rejects.toThrow('has 2 names (hard links)');
    await store.close();
  });

  it('is refused if only its log has them, and accepted when the other names are gone', async () => {
    const { file } = linked();
    await filled(file);
    writeFileSync(`${file}.other-wal`, '');
    linkSync(`${file}.other-wal`, `${file}-wal`);
    await expect(openStore(file)).rejects.toThrow(`"${file}-wal" has 2 names (hard links)`);
    rmSync(`${file}.other-wal`);
    await (await openStore(file)).close();
  });
});

// Only a user who may create name spaces of mounts can mount a file.
const canMount = spawnSync('unshare', ['--mount', 'true']).status === 0;

it.runIf(canMount)(
  'a database file that is mounted without its folder is refused, and one in a mounted folder is not',
  async () => {
    const { file } = linked();
    await filled(file);
    const [data, place] = [dirname(file), join(top, 'two words')];
    mkdirSync(place);
    writeFileSync(join(place, 'cloud.db'), '');
    const program = bundled(new URL('../cloud/store/open-database.ts', import.meta.url));
    const opened = (source: string, target: string, db: string): string => {
      const command = ['--mount', 'sh', '-c', 'mount --bind "$0" "$1" && shift && exec "$@"'];
      const { stdout } = spawnSync(
        'unshare',
        [...command, source, target, process.execPath, program, db, `${file}-copy`],
        {
          encoding: 'utf8',
        },
      );
      rmSync(`${file}-copy`, { force: true });
      return stdout.trim().split('\n').at(-1) ?? '';
    };
    const alone = join(place, 'cloud.db');
    expect(opened(file, alone, alone)).toContain(`"${alone}" is mounted without its folder`);
    expect(opened(data, place, join(place, basename(file)))).toBe('opened');
  },
);
