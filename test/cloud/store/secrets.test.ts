/** Secrets at rest in SQLite are encrypted. The key is in a file beside the database or elsewhere, and can be replaced. */
import { chmodSync, copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import BetterSqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../../src/cloud/open-store.js';
import { keyFrom, keyInFile } from '../../../src/cloud/store/secrets/key.js';
import { UnreadableSecret, Vault } from '../../../src/cloud/store/secrets/vault.js';
import { MIGRATIONS, migrate } from '../../../src/cloud/store/sqlite/migrations.js';
import { UsageError } from '../../../src/kernel/errors.js';
import { ghostfleet } from '../../support/host.js';
import { foundIn, harvest, PLANTED, plant, SECRETS } from './planted.js';
import { expected, harvestOf, KEY, plantedFiles, useKilledRotation } from './planted-files.js';
import { device, SPACE } from './rows.js';

const { newPath, planted } = plantedFiles();

describe('an encrypted secret', () => {
  const vault = new Vault(new Uint8Array(32).fill(1));

  it('can be opened only in its own place', () => {
    const sealed = vault.seal('device/1/token', 'sesame');
    expect(sealed).not.toContain('sesame');
    expect(vault.open('device/1/token', sealed)).toBe('sesame');
    for (const place of ['device/2/token', 'device/1/session', '']) {
      expect(() => vault.open(place, sealed)).toThrow(UnreadableSecret);
    }
  });

  it('is rejected with another key or after a change of its text; a text in clear is rejected as well', () => {
    const sealed = vault.seal('x', 'sesame');
    expect(() => new Vault(new Uint8Array(32)).open('x', sealed)).toThrow('has another key');
    expect(() => vault.open('x', 'sesame')).toThrow('is not encrypted');
    const at = sealed.length - 10;
    const changed = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1);
    for (const text of [changed, sealed.slice(0, 20), sealed.slice(0, -8)]) {
      expect(() => vault.open('x', text)).toThrow('is damaged or belongs to another place');
    }
  });
});

describe('the secrets in an SQLite file', () => {
  it('are encrypted in all its files, both while the store is open and afterwards, and are read as they were written', async () => {
    const path = newPath();
    const store = await openStore(path);
    await plant(store);
    expect(readFileSync(`${path}-wal`).length).toBeGreaterThan(10_000);
    expect(foundIn(path)).toEqual([]);
    expect(await harvest(store)).toEqual(await expected());
    await store.close();
    expect(foundIn(path)).toEqual([]);
    expect(await harvestOf(path)).toEqual(await expected());
  });

  it('cannot be copied to another row: the store then counts as damaged', async () => {
    const path = await planted();
    const db = new BetterSqlite(path);
    db.exec(`INSERT INTO device (id, space_id, name, name_folded, serial, token, label, created_at)
      SELECT '${device(2).id}', space_id, '', '', 2, token, '{}', 1 FROM device`);
    db.close();
    const store = await openStore(path);
    await expect(store.deviceBySerial(2)).rejects.toMatchObject({ code: 'store-damaged' });
    expect(store.soundness?.damage[0]).toMatch(/device\/.*\/token is damaged or belongs to another place$/);
    await store.close();
  });

  it('of an earlier version are encrypted when the file is opened, and do not stay in its free pages', async () => {
    const path = newPath();
    const db = new BetterSqlite(path);
    db.pragma('journal_mode = WAL');
    migrate(db, path, MIGRATIONS.slice(0, 8));
    const { id, serial } = PLANTED;
    db.exec(`INSERT INTO space VALUES ('${SPACE}', 'lab', 'team', 1);
      INSERT INTO device (id, space_id, name, name_folded, serial, token, token_hash, session, label, created_at)
      VALUES ('${id}', '${SPACE}', '', '', ${serial}, '${SECRETS.token}', 'x', '{"ble_passkey":"${SECRETS.passkey}"}', '{}', 1);
      INSERT INTO record (family, id, space_id, created_at, body)
      VALUES ('variable', 'gone', '${SPACE}', 1, '"${SECRETS.header}"'), ('variable', 'kept', '${SPACE}', 1, '"${SECRETS.variable}"');
      DELETE FROM record WHERE id = 'gone'`);
    db.close();
    expect(foundIn(path)).toHaveLength(4);
    const store = await openStore(path);
    expect(foundIn(path)).toEqual([]);
    expect(await store.deviceBySerial(serial)).toMatchObject({
      token: SECRETS.token,
      session: { ble_passkey: SECRETS.passkey },
    });
    expect(await store.record('variable', SPACE, 'kept')).toMatchObject({ body: SECRETS.variable });
    await store.close();
  });
});

describe('the key of an SQLite file', () => {
  const refusal = (path: string, options?: Parameters<typeof openStore>[1]): Promise<UsageError> =>
    openStore(path, options).then(
      () => expect.unreachable(),
      (error: unknown) => {
        if (error instanceof UsageError) return error;
        throw error;
      },
    );

  it('is by default in a second file beside it, which only the owner may read', async () => {
    const path = await planted();
    expect(readFileSync(`${path}-key`, 'latin1')).toMatch(/^[0-9a-f]{64}\n$/);
    const rights = () => statSync(`${path}-key`).mode & 0o777;
    expect(rights()).toBe(0o600);
    chmodSync(`${path}-key`, 0o644);
    expect(await harvestOf(path)).toEqual(await expected());
    expect(rights()).toBe(0o600);
  });

  it('can be given by the caller, and then no key file is created', async () => {
    const path = await planted({ secretsKey: KEY });
    expect(existsSync(`${path}-key`)).toBe(false);
    expect(await harvestOf(path, { secretsKey: KEY })).toEqual(await expected());
  });

  it('must be the right one: otherwise the database is not opened, and stays unchanged', async () => {
    const path = await planted({ secretsKey: KEY });
    const before = readFileSync(path);
    const wrong = keyFrom('0'.repeat(64), 'GHOSTFLEET_SECRETS_KEY');
    expect((await refusal(path, { secretsKey: wrong })).message).toMatch(
      /is encrypted with the key [0-9a-f]{8}, and GHOSTFLEET_SECRETS_KEY is the key [0-9a-f]{8}$/,
    );
    expect(await refusal(path)).toMatchObject({ code: 'missing-secrets-key', exit: 2 });
    writeFileSync(`${path}-key`, `${'0'.repeat(64)}\n`);
    expect((await refusal(path)).code).toBe('wrong-secrets-key');
    writeFileSync(`${path}-key`, 'not a key');
    const bad = await refusal(path);
    expect([bad.code, bad.message.includes('not a key')]).toEqual(['bad-secrets-key', false]);
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(existsSync(`${path}-wal`)).toBe(false);
  });

  it('is needed in the table "vault": values that are encrypted already stay as they are without it', async () => {
    const path = await planted({ secretsKey: KEY });
    const inFile = (text: string) => {
      const db = new BetterSqlite(path);
      const rows = db.prepare(text);
      const found = rows.reader ? rows.all() : rows.run();
      db.close();
      return JSON.stringify(found);
    };
    const before = inFile('SELECT token, session FROM device');
    inFile('DELETE FROM vault');
    for (const secretsKey of [KEY, keyFrom('0'.repeat(64), 'GHOSTFLEET_SECRETS_KEY')]) {
      const { code, message } = await refusal(path, { secretsKey });
      expect(code).toBe('bad-database');
      expect(message).toMatch(/is encrypted \(device\/.*\/token\), but its table "vault" is empty/);
    }
    expect(inFile('SELECT token, session FROM device')).toBe(before);
  });

  it('must be the right one after a crash, too: otherwise the database and its write-ahead log stay unchanged', async () => {
    const path = newPath();
    const store = await openStore(path, { secretsKey: KEY });
    await plant(store);
    const crashed = newPath();
    const suffixes = ['', '-wal', '-tail'];
    for (const suffix of suffixes) copyFileSync(path + suffix, crashed + suffix);
    await store.close();
    const contents = () => suffixes.map((suffix) => readFileSync(crashed + suffix).toString('latin1'));
    const before = contents();
    const wrong = keyFrom('0'.repeat(64), 'GHOSTFLEET_SECRETS_KEY');
    expect((await refusal(crashed, { secretsKey: wrong })).code).toBe('wrong-secrets-key');
    expect((await refusal(crashed)).code).toBe('missing-secrets-key');
    expect(contents().map((content, n) => content === before[n])).toEqual([true, true, true]);
    expect(await harvestOf(crashed, { secretsKey: KEY })).toEqual(await expected());
  });
});

describe('a rotation', () => {
  it('encrypts everything with a new key, and leaves nothing of the old one', async () => {
    const path = await planted();
    const old = readFileSync(`${path}-key`, 'latin1');
    const { keyId } = keyInFile(`${path}-key`).vault;
    const { exit, out } = await ghostfleet(['secrets', 'rotate', path]);
    expect([exit, out]).toEqual([
      0,
      expect.stringMatching(/^7 rows encrypted with the key [0-9a-f]{8}; the new key is in .*-key\n$/),
    ]);
    expect(readFileSync(`${path}-key`, 'latin1')).not.toBe(old);
    expect(readFileSync(path).includes(keyId)).toBe(false);
    expect(existsSync(`${path}-key-next`)).toBe(false);
    expect(await harvestOf(path)).toEqual(await expected());
  });

  it('of an empty file is an error, which leaves the file and its key as they were', async () => {
    const path = newPath();
    writeFileSync(path, '');
    writeFileSync(`${path}-key`, `${'b2'.repeat(32)}\n`);
    expect(await ghostfleet(['secrets', 'rotate', path])).toMatchObject({
      exit: 2,
      err: expect.stringContaining('is empty'),
    });
    expect([readFileSync(path, 'utf8'), readFileSync(`${path}-key`, 'utf8')]).toEqual(['', `${'b2'.repeat(32)}\n`]);
  });

  const killAndRepeat = useKilledRotation(planted);

  it.each([['in the middle', '6']])('that is killed %s loses nothing, and can be repeated', (_, moment) =>
    killAndRepeat(moment),
  );
});
