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

/**
 * The turns of the event loop between two of twenty pieces, one of each tenant.
 * @param piece duration of a piece @param others time that others use in a turn of the event loop
 */
async function turnsBetween(piece: number, others: number): Promise<readonly number[]> {
  const clock = { now: 0 };
  let [loop, isOver] = [0, false];
  const turns = new LoopTurns(clock);
  const count = () => {
    loop++;
    clock.now += others;
    if (!isOver) setImmediate(count);
  };
  count();
  const pieces = Array.from({ length: 20 }, async (_, n) => {
    await turns.next(`tenant ${n}`);
    clock.now += piece;
    return loop;
  });
  const begun = await Promise.all(pieces);
  isOver = true;
  return begun.slice(1).map((at, n) => at - (begun[n] ?? 0));
}

it('eight turns of the event loop, in each of which a connection is accepted, lie between two long pieces', async () => {
  expect(new Set(await turnsBetween(50, 1))).toEqual(new Set([8]));
});

it('others get as much time as the pieces before, so that a busy service does not keep a page waiting', async () => {
  expect(new Set(await turnsBetween(6, 2))).toEqual(new Set([3]));
  expect(new Set(await turnsBetween(6, 100))).toEqual(new Set([1]));
});

it('short pieces of many tenants run in one turn of the event loop until they have taken a millisecond', async () => {
  // The fifth of five pieces of a quarter of a millisecond begins after a turn in which others had their time.
  const between = await turnsBetween(0.25, 1);
  expect(between).toEqual(Array.from({ length: 19 }, (_, n) => (n % 4 === 3 ? 1 : 0)));
});
