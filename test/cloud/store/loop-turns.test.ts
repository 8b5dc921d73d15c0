/** Turns of the event loop. */
import { expect, it } from 'vitest';
import { LoopTurns } from '../../../src/cloud/store/loop-turns.js';

it('tenants take turns, so that one with many requests delays that of another by one', async () => {
  const turns = new LoopTurns();
  const order: string[] = [];
  const asked = ['ann', 'ann', 'ann', 'ann', 'bob'].map(async (tenant) => {
    await turns.next(tenant);
    order.push(tenant);
  });
  await Promise.all(asked);
  expect(order).toEqual(['ann', 'ann', 'bob', 'ann', 'ann']);
});

it('several turns of the event loop, in each of which a connection is accepted, lie between two turns of tenants', async () => {
  const turns = new LoopTurns();
  let loop = 0;
  let isOver = false;
  const count = () => {
    loop++;
    if (!isOver) setImmediate(count);
  };
  count();
  const begun = Array.from({ length: 20 }, (_, n) => turns.next(`tenant ${n}`).then(() => loop));
  const all = await Promise.all(begun);
  isOver = true;
  const between = all.slice(1).map((at, n) => at - (all[n] ?? 0));
  expect(Math.min(...between)).toBeGreaterThanOrEqual(7);
});
