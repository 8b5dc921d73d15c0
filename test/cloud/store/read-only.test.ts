/** A database on a read-only file system. */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { bundled } from '../../support/bundled.js';
import { databaseFiles } from './database-files.js';

const files = databaseFiles();

// Only a user who may create name spaces of mounts can make a folder read-only.
const canMount = spawnSync('unshare', ['--mount', 'true']).status === 0;

it.runIf(canMount)(
  'a database on a read-only file system is not called damaged: messages name the file system',
  async () => {
    const { path, store } = await files.furnished(3);
    await store.close();
    const folder = join(dirname(path), 'mounted');
    mkdirSync(folder);
    const program = bundled(new URL('./open-database.ts', import.meta.url));
    const [file, copy] = [join(folder, '0.db'), join(dirname(path), 'copy.db')];
    const script = `mount --bind ${dirname(path)} ${folder} && mount -o remount,bind,ro ${folder} && exec "$@"`;
    const command = ['--mount', 'sh', '-c', script, 'sh', process.execPath, program, file, copy];
    const { stdout, stderr } = spawnSync('unshare', command, { encoding: 'utf8' });
    const message = `"${file}" cannot be opened, because the file system is read-only`;
    expect([stdout, stderr]).toEqual([`${`${message}\n`.repeat(3)}`, '']);
  },
);
