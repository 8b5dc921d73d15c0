/** The key of an SQLite file: named pipes in its place, its place, and rotations of rarer kinds. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { openStore } from '../../../src/cloud/open-store.js';
import { keyInFile } from '../../../src/cloud/store/secrets/key.js';
import { Vault } from '../../../src/cloud/store/secrets/vault.js';
import { testCloud } from '../../support/cloud.js';
import { ghostfleet } from '../../support/host.js';
import { ingressOf, post } from '../../support/ingress.js';
import { expected, harvestOf, KEY, plantedFiles, useKilledRotation } from './planted-files.js';

const { directory, newPath, planted } = plantedFiles();

describe('the secrets in an SQLite file', () => {
  it('of a device are decrypted once, not with each of its uplinks', async () => {
    const store = await openStore(newPath());
    const cloud = await testCloud({ store });
    await cloud.addDevice();
    const app = ingressOf(cloud);
    const send = (n: number) => post(app, 'uplink', { type: 'data', body: { n } });
    const opened = vi.spyOn(Vault.prototype, 'open');
    expect((await send(0)).status).toBe(200);
    const first = opened.mock.calls.length;
    expect(first).toBeGreaterThan(0);
    for (let n = 1; n <= 20; n++) expect((await send(n)).status).toBe(200);
    expect(opened.mock.calls.length).toBe(first);
    await store.close();
  });
});

describe('the key of an SQLite file', () => {
  it('is in a file that `serve` names, and that may be moved if the new path is given to `serve`', async () => {
    const path = newPath();
    const start = (...more: string[]) => {
      const ports = ['--port', '0', '--udp-port', '0', '--udp-raw-port', '0'];
      return ghostfleet(['serve', '--db', path, ...ports, ...more], { interruptOn: /Ctrl-C/ });
    };
    expect((await start()).out).toContain(`key      ${path}-key (encrypts the secrets in the data`);
    const moved = join(directory(), 'moved.key');
    copyFileSync(`${path}-key`, moved);
    rmSync(`${path}-key`);
    expect(await start()).toMatchObject({ exit: 2, err: expect.stringContaining('does not exist') });
    const { exit, out } = await start('--secrets-key-file', moved);
    expect([exit, out.includes('\nkey')]).toEqual([0, false]);
  });
});

describe('a named pipe', () => {
  it.each(['', '-key', '-key-next', '-tail', '-wal', '-run'])(
    'at or beside a database (%s) is rejected at once',
    async (end) => {
      const path = end === '' ? newPath() : await planted();
      rmSync(path + end, { force: true });
      execFileSync('mkfifo', [path + end]);
      const wanted = { exit: 2, err: expect.stringContaining(`"${path}${end}" is not a regular file`) };
      expect(await ghostfleet(['secrets', 'rotate', path])).toMatchObject(wanted);
      expect(await ghostfleet(['serve', '--db', path])).toMatchObject(wanted);
      expect(await ghostfleet(['doctor', path])).toMatchObject(wanted);
    },
  );

  it('as the file of a key is rejected at once', async () => {
    const [path, pipe] = [await planted(), join(directory(), 'pipe')];
    execFileSync('mkfifo', [pipe]);
    for (const option of ['--secrets-key-file', '--new-key-file']) {
      const { exit, err } = await ghostfleet(['secrets', 'rotate', path, option, pipe]);
      expect([exit, err]).toEqual([2, expect.stringContaining('is not a regular file')]);
    }
  });
});

describe('a rotation', () => {
  it('to a key in a file needs this file and the current key', async () => {
    const path = await planted({ secretsKey: KEY });
    const file = join(directory(), 'next.key');
    const env = { GHOSTFLEET_SECRETS_KEY: 'a1'.repeat(32) };
    const rotate = (...more: string[]) => ghostfleet(['secrets', 'rotate', path, ...more], { env });
    expect(await rotate()).toMatchObject({ exit: 2, err: expect.stringContaining('--new-key-file') });
    expect((await rotate('--new-key-file', file)).exit).toBe(0);
    expect((await rotate('--new-key-file', file)).err).toContain('is encrypted with the key');
    expect(await harvestOf(path, { secretsKey: keyInFile(file) })).toEqual(await expected());
  });

  const killAndRepeat = useKilledRotation(planted);

  it.each([['before it replaces the key file', 'done']])(
    'that is killed %s loses nothing, and can be repeated',
    (_, moment) => killAndRepeat(moment),
  );
});
