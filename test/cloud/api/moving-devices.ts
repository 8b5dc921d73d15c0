/** Lists of devices that are sorted by a value which changes while the pages are read. */
import { expect } from 'vitest';
import { service } from './service.js';

type Order = 'asc' | 'desc';
type Case = readonly [sort: string, order: Order];

export const CASES: readonly Case[] = ['name', 'external_id', 'last_seen', 'session_id'].flatMap((sort) =>
  (['asc', 'desc'] as const).map((order): Case => [sort, order]),
);

/** Those that are tried for each change: a text, and a time that some devices do not have. */
export const ALWAYS: readonly Case[] = [
  ['name', 'asc'],
  ['last_seen', 'desc'],
];

export const WAYS = [
  ['the header x-next-offset', true],
  ['the id of the last device', false],
] as const;

/** Seven devices; those with the numbers 5 and 6 have neither an external id nor a session, and were never seen. */
export async function movingFleet() {
  const made = await service();
  for (let n = 0; n < 7; n++) {
    const values = n < 5 ? { external_id: `e${n}` } : {};
    const { id } = await made.device({ name: `n${n}`, serial_number: String(2159017980 + n), ...values });
    const seen = { lastSeen: 1_000 + n, sessionId: 100 + n };
    if (n < 5) await made.store.commit([{ kind: 'device.change', id, change: seen }]);
  }
  return made;
}

let moves = 0;
/** What users and reports do: a device gets a value that is greater than all others, or smaller. */
export function movedTo(order: Order) {
  const n = ++moves;
  return order === 'asc'
    ? { name: `z${n}`, externalId: `z${n}`, lastSeen: 1e6 + n, sessionId: 1e6 + n }
    : { name: `0${9e5 - n}`, externalId: `0${9e5 - n}`, lastSeen: 900 - n, sessionId: 90 - n };
}

export async function expectEachOnce(sort: string, order: Order, byHeader: boolean): Promise<void> {
  for (const direction of ['asc', 'desc'] as const) {
    const { call, store } = await movingFleet();
    const moved = new Set<string>();
    const found: string[] = [];
    let offset = '';
    for (let pages = 0; ; pages++) {
      expect(pages).toBeLessThan(12);
      const { json, headers } = await call('GET', `devices?limit=2&sort_by=${sort}&order_by=${order}${offset}`);
      if (json.length === 0) break;
      found.push(...json.map((row: { serial_number: string }) => row.serial_number));
      const last = json.at(-1);
      offset = `&offset=${byHeader ? headers['x-next-offset'] : last.id}`;
      if (pages < 5) {
        moved.add(last.serial_number);
        await store.commit([{ kind: 'device.change', id: last.id, change: movedTo(direction) }]);
      }
    }
    const stayed = found.filter((serial) => !moved.has(serial)).sort();
    const all = Array.from({ length: 7 }, (_, n) => String(2159017980 + n));
    expect(stayed).toEqual(all.filter((serial) => !moved.has(serial)));
  }
}
