/** What happens to an SQLite file of an earlier version. */
import BetterSqlite from 'better-sqlite3';
import { expect } from 'vitest';
import { openStore } from '../../../src/cloud/open-store.js';
import { MIGRATIONS, migrate } from '../../../src/cloud/store/sqlite/migrations.js';
import { device, downlink, insert, message, record, SPACE } from './rows.js';

/** Makes a file with the schema of a version, opens it as a store, and checks that its rows are there and can be changed. */
export async function updateFile(path: string, version: number): Promise<void> {
  const db = new BetterSqlite(path);
  migrate(db, path, MIGRATIONS.slice(0, version));
  db.exec(`INSERT INTO space (id, name, type, created_at) VALUES ('${SPACE}', 'lab', 'team', 1);
      INSERT INTO device (id, space_id, name, name_folded, serial, token, label, created_at)
      VALUES ('${device(1).id}', '${SPACE}', 'Old', 'old', 4, 't', '{}', 1);
      INSERT INTO message (id, space_id, device_id, created_at, type, direction, body, down_state, down_attempt)
      VALUES ('${message(1).id}', '${SPACE}', '${device(1).id}', 1, 'shell', 'down', '["x"]', 'pending', 0)`);
  db.close();
  const store = await openStore(path);
  expect((await store.deviceBySerial(4))?.name).toBe('Old');
  expect(await store.pendingDownlinks(device(1).id)).toMatchObject([{ body: ['x'] }]);
  await store.commit([insert.message(downlink(2)), insert.record(record(1))]);
  expect(await store.record('variable', SPACE, record(1).id)).toEqual(record(1));
  const sent = { kind: 'message.state', id: message(1).id, state: 'sent', at: 1 } as const;
  await store.commit([sent]);
  await expect(store.commit([sent])).rejects.toThrow('the downlink is not pending');
  await store.close();
}
