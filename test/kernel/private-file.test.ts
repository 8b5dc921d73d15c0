import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openStore } from '../../src/cloud/open-store.js';
import { createKeyFile } from '../../src/cloud/store/secrets/key.js';
import { backupDatabase } from '../../src/cloud/store/sqlite/backup.js';
import { save } from '../../src/cloud/store/sqlite/doctor.js';

const directory = mkdtempSync(join(tmpdir(), 'ghostfleet-private-'));
afterAll(() => rmSync(directory, { recursive: true }));
const path = (name: string) => join(directory, name);

it.each([
  ['a key file', 'a.db-key', '-unfinished', async (to: string) => void createKeyFile(to)],
  ['a backup', 'b.db', '.unfinished', (to: string) => backupDatabase(path('source.db'), to)],
  ['the copy of a damaged database', 'c.db', '.unfinished', async (to: string) => void save(path('source.db'), to)],
])('%s is not written through a link that stands in the place of its unfinished file', async (_, name, end, write) => {
  await (await openStore(path('source.db'))).close();
  writeFileSync(path('victim'), '', { mode: 0o644 });
  symlinkSync(path('victim'), path(`${name}${end}`));
  await write(path(name));
  expect([readFileSync(path('victim'), 'utf8'), statSync(path('victim')).mode & 0o777]).toEqual(['', 0o644]);
  expect([statSync(path(name)).isFile(), statSync(path(name)).mode & 0o077]).toEqual([true, 0]);
  rmSync(path(`${name}${end}`));
  rmSync(path('source.db'));
  expect(readdirSync(directory).filter((each) => each.includes('unfinished'))).toEqual([]);
});
