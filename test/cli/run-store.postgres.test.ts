/** `run --store postgres://…`: the database of a run, which can be opened after the run. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openStore } from '../../src/cloud/open-store.js';
import { keyFrom } from '../../src/cloud/store/secrets/key.js';
import type { RunResult } from '../../src/report/result.js';
import { folderOfTest } from '../support/folder-of-test.js';
import { ghostfleet } from '../support/host.js';
import { newDatabase, sharedServer } from '../support/postgres/databases.js';

// This call fails with a reason if the PostgreSQL server did not start.
await sharedServer();

const KEY = '7'.repeat(64);
const WITH_KEY = { env: { GHOSTFLEET_SECRETS_KEY: KEY } };

function scenarioFile(more = ''): string {
  const file = join(folderOfTest(), 'stored.yaml');
  writeFileSync(
    file,
    `name: stored
duration: 2h
fleet: [{ name: control, profile: control, count: 3, config: { interval-report: 900 } }]
${more}`,
  );
  return file;
}

async function result(args: readonly string[]): Promise<RunResult> {
  const { exit, out, err } = await ghostfleet([...args, '--json'], WITH_KEY);
  expect([exit, err]).toEqual([0, '']);
  return JSON.parse(out);
}

it('another service opens the database with the same key, and finds every stored message', async () => {
  const [file, db] = [scenarioFile(), await newDatabase()];
  const run = await result(['run', file, '--store', db]);
  expect(run.digest).toBe((await result(['run', file])).digest);
  const store = await openStore(db, { secretsKey: keyFrom(KEY, 'the key') });
  const [space] = await store.spaces({ limit: 2 });
  const messages = await store.messages(space?.id ?? '', { limit: 500, types: ['data'], direction: 'up' });
  await store.close();
  expect(space?.name).toBe('stored');
  expect(messages).toHaveLength(run.uplinks.stored);
});

it('a store that fails gives the same run on PostgreSQL as in memory, also while the service is killed', async () => {
  const faults = [
    'store-unavailable:, from: 45m, until: 67m',
    'service-restart:, from: 60m, until: 65m, every: 4m, lasts: 1m',
  ];
  const file = scenarioFile(`faults: [${faults.map((fault) => `{ ${fault} }`).join(', ')}]`);
  const onPostgres = await result(['run', file, '--store', await newDatabase()]);
  expect(onPostgres.digest).toBe((await result(['run', file])).digest);
});

it.each([
  ['without a key', ['--store', 'postgres://u:hush@h/d'], 'requires GHOSTFLEET_SECRETS_KEY'],
  ['with several seeds', ['--store', 'postgres://u:hush@h/d', '--seeds', '2'], 'cannot be used with --seeds'],
  [
    'whose address has no slashes',
    ['--store', 'postgres:u:hush@h/d'],
    'address of the PostgreSQL database cannot be read',
  ],
  [
    'whose address has one slash',
    ['--store', 'postgres:/u:hush@h/d'],
    'address of the PostgreSQL database cannot be read',
  ],
  [
    'whose address has three slashes',
    ['--store', 'postgres:///u:hush@h/d'],
    'address of the PostgreSQL database cannot be read',
  ],
  ['of another kind', ['--store', 'mysql://u:hush@h/d'], '--store (hidden) is not memory, sqlite or postgres://…'],
])('a database %s is refused, and the message does not contain its password', async (what, args, message) => {
  const options = what === 'without a key' ? {} : WITH_KEY;
  const { exit, out, err } = await ghostfleet(['run', scenarioFile(), ...args], options);
  expect(exit).toBe(2);
  expect(err).toContain(message);
  expect(out + err).not.toContain('hush');
});

it('a database that has been used before is refused', async () => {
  const [file, db] = [scenarioFile(), await newDatabase()];
  await result(['run', file, '--store', db]);
  const { exit, err } = await ghostfleet(['run', file, '--store', db], WITH_KEY);
  expect([exit, err]).toEqual([2, expect.stringContaining('has been used before: a run requires a new one')]);
});
