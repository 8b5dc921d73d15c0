/** A database of which some files belong to another user, as after a start with sudo. */
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bundled } from '../../support/bundled.js';
import { databaseFiles } from './database-files.js';

const files = databaseFiles();
/** A user without rights. */
const USER = 65_534;

/** Only root can give files to another user, and start a process as another user. */
describe.runIf(process.getuid?.() === 0)('a database of a user', () => {
  /** The messages of doctor, backup and a service of a user to whom all files belong except those with these ends. */
  async function opened(...ends: readonly string[]) {
    const { path, store } = await files.furnished(3);
    await store.close();
    const folder = dirname(path);
    for (const end of ends) if (end.startsWith('-')) writeFileSync(path + end, '', { flag: 'a', mode: 0o600 });
    const isRoots = (name: string) => ends.some((end) => name === basename(path) + end);
    for (const name of readdirSync(folder)) {
      const [user, mode] = isRoots(name) ? [0, 0o600] : [USER, 0o600];
      chownSync(join(folder, name), user, user);
      chmodSync(join(folder, name), mode);
    }
    chownSync(folder, ends.includes('folder') ? 0 : USER, USER);
    chmodSync(folder, ends.includes('closed') ? 0o600 : 0o755);
    const program = bundled(new URL('./open-database.ts', import.meta.url));
    const closed = join(folder, 'closed');
    if (ends.includes('closed copy')) mkdirSync(closed, { mode: 0o700 });
    const copy = ends.includes('closed copy') ? join(closed, 'copy') : `${path}.copy`;
    const { stdout, stderr } = spawnSync(process.execPath, [program, path, copy], {
      ...{ encoding: 'utf8', uid: USER, gid: USER },
    });
    expect(stderr).toBe('');
    const [doctor, backup, service] = stdout.replaceAll(folder, '').replaceAll(basename(path), 'x.db').split('\n');
    return { doctor, backup, service };
  }

  const denied = (what: string) => `"/x.db${what}: permission denied; it belongs to root`;

  it('can be read, but not served, beside a lock file of root', async () => {
    expect(await opened('-owner')).toEqual({
      ...{ doctor: 'opened', backup: 'opened' },
      service: denied('-owner" cannot be read'),
    });
  });

  it('is not served beside a tail file or a key of root: all files are named', async () => {
    const { service } = await opened('-tail', '-key');
    expect(service).toBe(`${denied('-tail" cannot be read')}; the same is true of "/x.db-key"`);
  });

  it('cannot be opened beside a log of root', async () => {
    const all = `${denied('-wal" cannot be read')}; the same is true of "/x.db-shm"`;
    expect(await opened('-wal', '-shm')).toEqual({ doctor: all, backup: all, service: all });
  });

  it('cannot be opened if it belongs to root itself', async () => {
    const message = denied('" cannot be read');
    expect(await opened('')).toEqual({ doctor: message, backup: message, service: message });
  });

  it('cannot be opened in a folder that cannot be entered', async () => {
    const message = '"" cannot be entered: permission denied';
    expect(await opened('closed')).toEqual({ doctor: message, backup: message, service: message });
  });

  it('is not created in a folder of root: the message names the folder, and what to do instead', () => {
    const path = files.newPath();
    const program = bundled(new URL('./create-database.ts', import.meta.url));
    chownSync(dirname(path), 0, 0);
    chmodSync(dirname(path), 0o755);
    const user = { encoding: 'utf8', uid: USER, gid: USER, cwd: dirname(path) } as const;
    const { stdout, stderr } = spawnSync(process.execPath, [program, basename(path)], user);
    expect([stdout, stderr]).toEqual([
      `"${dirname(path)}" cannot be written to: permission denied; it belongs to root\n` +
        'name a file in a folder that this user may write to, such as /data/ghostfleet.db\n',
      '',
    ]);
  });

  it('is not backed up into a folder that cannot be entered', async () => {
    const { backup } = await opened('closed copy');
    expect(backup).toBe('cannot write "/closed/copy": permission denied');
  });
});
