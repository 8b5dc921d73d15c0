/** Claims of devices, which a service sends to the other services on its database. */
import type { Pool } from 'pg';
import { expect, it } from 'vitest';
import { PostgresNodes } from '../../../src/cloud/store/postgres/nodes.js';

/** The nodes of a service, on a pool that answers each query only when the test calls its `end`. */
function slowPool() {
  const queries: { readonly payloads: readonly string[]; readonly end: (error?: Error) => void }[] = [];
  const query = (_: string, [, payloads]: readonly [string, readonly string[]]) =>
    new Promise<void>((resolve, reject) => {
      queries.push({ payloads, end: (error) => (error ? reject(error) : resolve()) });
    });
  // The cast is safe because claims use only `query` of a pool.
  const nodes = new PostgresNodes({
    pool: { query } as unknown as Pool,
    name: 'a',
    channel: 'fleet',
  });
  return { nodes, queries, turn: () => new Promise((done) => setImmediate(done)) };
}

it('claims that arrive while others are sent are sent together, one query at a time', async () => {
  const { nodes, queries, turn } = slowPool();
  const claims = [nodes.claim(1)];
  await turn();
  for (const serial of [2, 3, 4]) claims.push(nodes.claim(serial));
  await turn();
  expect(queries.map(({ payloads }) => payloads)).toEqual([['a moved 1']]);
  queries[0]?.end();
  await claims[0];
  await turn();
  expect(queries[1]?.payloads).toEqual(['a moved 2', 'a moved 3', 'a moved 4']);
  queries[1]?.end();
  await Promise.all(claims);
});

it('a failed query is reported to the callers of all its claims, and the next claim is sent', async () => {
  const { nodes, queries, turn } = slowPool();
  const failed = [nodes.claim(1), nodes.claim(2)].map((claim) => claim.catch((error: Error) => error.message));
  await turn();
  const next = nodes.claim(3);
  queries[0]?.end(new Error('database gone'));
  expect(await Promise.all(failed)).toEqual(['database gone', 'database gone']);
  await turn();
  queries[1]?.end();
  await next;
  expect(queries[1]?.payloads).toEqual(['a moved 3']);
});
