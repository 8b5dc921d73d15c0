import { describe, expect, it } from 'vitest';
import { FairQueue } from '../../../src/cloud/store/fair-queue.js';

const ONE_EACH = { all: 2, tenant: () => 1, part: 1 };

/** Runs all waiting tasks one after the other. The number in the name of a task is its duration. */
function order(queue: FairQueue<string>): string[] {
  const tasks: string[] = [];
  for (let turn = queue.start(); turn; turn = queue.start()) {
    tasks.push(turn.task);
    turn.end(Number(/\d+/.exec(turn.task)?.[0] ?? 0));
  }
  return tasks;
}

describe('the fair queue of the sandbox', () => {
  it('gives the next turn to the tenant that has used the least time', () => {
    const queue = new FairQueue<string>(ONE_EACH);
    for (const part of ['1', '2', '3']) queue.add({ tenant: 'slow', part }, 'slow 500');
    for (let n = 0; n < 4; n++) queue.add({ tenant: 'fast', part: '1' }, 'fast 200');
    expect(order(queue)).toEqual(['slow 500', ...Array(3).fill('fast 200'), 'slow 500', 'fast 200', 'slow 500']);
  });

  it('gives turns to two tenants alternately before any task has ended, and exceeds no limit', () => {
    const queue = new FairQueue<string>({ all: 3, tenant: () => 2, part: 1 });
    for (const part of ['1', '1', '2', '3']) queue.add({ tenant: 'a', part }, `a${part}`);
    queue.add({ tenant: 'b', part: '1' }, 'b1');
    const turns = [queue.start(), queue.start(), queue.start(), queue.start()];
    expect(turns.map((turn) => turn?.task)).toEqual(['a1', 'b1', 'a2', undefined]);
    turns[1]?.end(5);
    expect(queue.start()).toBeUndefined();
    turns[0]?.end(5);
    expect(queue.start()?.task).toBe('a3');
    expect([queue.waiting('a'), queue.waiting('a', '1'), queue.waiting('b')]).toEqual([1, 1, 0]);
  });

  it('lets the parts of a tenant take turns, even if their tasks take no time', () => {
    const queue = new FairQueue<string>(ONE_EACH);
    for (const part of ['x', 'x', 'x', 'y']) queue.add({ tenant: 'a', part }, part);
    expect(order(queue)).toEqual(['x', 'y', 'x', 'x']);
  });

  it('gives a tenant that had no tasks for some time neither an advantage nor a disadvantage', () => {
    const queue = new FairQueue<string>({ all: 1, tenant: () => 1, part: 1 });
    queue.add({ tenant: 'busy', part: '1' }, 'busy 100');
    queue.start()?.end(100);
    for (let n = 0; n < 2; n++) queue.add({ tenant: 'busy', part: '1' }, 'busy 100');
    queue.start()?.end(100);
    for (let n = 0; n < 3; n++) queue.add({ tenant: 'back', part: '1' }, 'back 60');
    expect(order(queue)).toEqual(['busy 100', 'back 60', 'back 60', 'back 60']);
  });

  it('allows a tenant to run more tasks at a time if its tasks are short', () => {
    const places = { all: 2, tenant: (mean: number | undefined) => (mean !== undefined && mean < 50 ? 2 : 1), part: 1 };
    const queue = new FairQueue<string>(places);
    for (const part of ['1', '2', '3', '4']) queue.add({ tenant: 'a', part }, part);
    const first = queue.start();
    expect(queue.start()).toBeUndefined();
    first?.end(10);
    expect([queue.start(), queue.start(), queue.start()].map((turn) => turn?.task)).toEqual(['2', '3', undefined]);
  });
});
