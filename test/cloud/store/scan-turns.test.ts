/** The turns of queries that may read many rows, in PostgreSQL and SQLite. */
import { expect, it } from 'vitest';
import { ScanTurns } from '../../../src/cloud/store/scan-turns.js';

/** Queries that end when the test ends them. */
function held(places: { all: number; tenant: number }) {
  const turns = new ScanTurns(places);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const ask = (name: string) =>
    turns.run(name.charAt(0), () => {
      begun.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    });
  const end = async (name: string) => {
    ends.get(name)?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { turns, begun, ask, end };
}

it('a tenant with many queries uses its places only, and others begin at once', () => {
  const { begun, ask } = held({ all: 5, tenant: 2 });
  for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1']) void ask(name);
  expect(begun).toEqual(['a1', 'a2', 'b1', 'c1']);
});

it('the tenants take turns if all places are used', async () => {
  const { begun, ask, end } = held({ all: 2, tenant: 2 });
  for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1']) void ask(name);
  for (const name of ['a1', 'a2', 'a3', 'b1']) await end(name);
  expect(begun).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'a4']);
});

it('further queries of a tenant are rejected while a hundred wait, and a failed query gives its place back', async () => {
  const turns = new ScanTurns({ all: 1, tenant: 1 });
  const fail = () => Promise.reject(new Error('failed'));
  const all = await Promise.allSettled(Array.from({ length: 102 }, () => turns.run('a', fail)));
  const reasons = all.map((each) => (each.status === 'rejected' ? each.reason.message : ''));
  expect(reasons.filter((reason) => reason === 'failed')).toHaveLength(101);
  expect(reasons.at(-1)).toContain('too many long reads of this account are waiting');
});
