import { expect, it } from 'vitest';
import { MemoryStore } from '../../../src/cloud/store/memory/memory-store.js';
import { MemoryTables } from '../../../src/cloud/store/memory/tables.js';
import { storeContract } from '../../contracts/store/index.js';

storeContract('memory', async () => new MemoryStore());

it('a memory store reads the tables of an earlier one', async () => {
  const tables = new MemoryTables();
  const first = new MemoryStore(tables);
  await first.commit([{ kind: 'space.put', row: { id: 'a', name: 'fleet', type: 'team', createdAt: 1 } }]);
  await first.close();
  expect(await new MemoryStore(tables).spaces({ limit: 10 })).toMatchObject([{ id: 'a', name: 'fleet' }]);
});
