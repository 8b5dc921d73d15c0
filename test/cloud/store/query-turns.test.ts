/** The turns of queries that share the connections to PostgreSQL, or the reading thread of SQLite. */
import { expect, it } from 'vitest';
import { QueryTurns } from '../../../src/cloud/store/query-turns.js';
import { seconds } from '../../../src/kernel/time.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';

/** Queries that end when the test ends them. The first letter of a query is its tenant. */
function held(places: { all: number; tenant: number; longestWait?: number }) {
  const clock = new VirtualClock();
  const turns = new QueryTurns({ ...places, clock });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const ask = (name: string) =>
    turns.run({ tenant: name.charAt(0), part: '' }, () => {
      begun.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    });
  const end = async (name: string) => {
    ends.get(name)?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { turns, clock, begun, ask, end };
}

it('a tenant with many queries uses its places only, and others begin at once', () => {
  const { begun, ask } = held({ all: 5, tenant: 2 });
  for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1']) void ask(name);
  expect(begun).toEqual(['a1', 'a2', 'b1', 'c1']);
});

it('the tenants take turns if all places are used', async () => {
  const { begun, ask, end } = held({ all: 2, tenant: 2 });
  for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1']) void ask(name);
  for (const name of ['a1', 'a2', 'b1', 'c1']) await end(name);
  expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'a4']);
});

it('further queries of a tenant are rejected while a hundred wait, and a failed query gives its place back', async () => {
  const turns = new QueryTurns({ all: 1, tenant: 1, mostWaiting: 100 });
  const fail = () => Promise.reject(new Error('failed'));
  const all = await Promise.allSettled(Array.from({ length: 102 }, () => turns.run({ tenant: 'a', part: '' }, fail)));
  const reasons = all.map((each) => (each.status === 'rejected' ? each.reason.message : ''));
  expect(reasons.filter((reason) => reason === 'failed')).toHaveLength(101);
  expect(reasons.at(-1)).toContain('too many long reads of this account are waiting');
});

it('further queries of a part with a limit are rejected while its most wait, and other parts are not', async () => {
  const turns = new QueryTurns({ all: 1, tenant: 1 });
  const ask = (part: string) => turns.run({ tenant: 'a', part, mostWaiting: 2 }, async () => part);
  const all = await Promise.allSettled(['1', '1', '1', '1', '2', '2'].map(ask));
  expect(all.map(({ status }) => (status === 'fulfilled' ? 1 : 0))).toEqual([1, 1, 1, 0, 1, 1]);
});

it('a query whose turn comes too late is rejected, and later ones begin', async () => {
  const { clock, begun, ask, end } = held({ all: 1, tenant: 1, longestWait: seconds(5) });
  void ask('a1');
  const late = expect(ask('a2')).rejects.toMatchObject({ code: 'store-slow' });
  await clock.runUntil(seconds(6));
  void ask('a3');
  await end('a1');
  await late;
  expect(begun).toEqual(['a1', 'a3']);
});
