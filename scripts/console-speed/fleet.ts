/** Devices in the tables of a service, without the requests that would register them. */
import { openStore } from '../../src/cloud/open-store.js';
import type { MemoryTables } from '../../src/cloud/store/memory/tables.js';
import { device, idAt, T0 } from '../../test/cloud/store/rows.js';

/** @returns the ids of the devices */
export async function fillFleet(memory: MemoryTables, spaceId: string, count: number): Promise<readonly string[]> {
  const store = await openStore('memory', { memory });
  const ids: string[] = [];
  for (let from = 0; from < count; from += 1_000) {
    const rows = Array.from({ length: 1_000 }, (_, i) => {
      const n = from + i;
      const id = idAt(T0, 100_000 + n);
      ids.push(id);
      const token = n.toString(16).padStart(32, '0');
      return device(n, {
        id,
        spaceId,
        name: `cellar-${String(n + 1).padStart(6, '0')}`,
        serial: 2_159_000_000 + n,
        token,
      });
    });
    await store.commit(rows.map((row) => ({ kind: 'device.insert', row })));
  }
  return ids;
}
