/** Semaphore: which tasks start, and which wait. */
import { describe, expect, it } from 'vitest';
import { Semaphore } from '../../src/kernel/semaphore.js';

/** A semaphore, and the numbers of the tasks that have started, in order. */
function semaphoreOf(permits: number) {
  const started: number[] = [];
  const semaphore = new Semaphore(permits);
  let asked = 0;
  const ask = (times: number) => {
    for (let i = 0; i < times; i++) {
      const number = ++asked;
      semaphore.acquire(() => started.push(number));
    }
  };
  return { semaphore, started, ask };
}

describe('Semaphore', () => {
  it('starts as many tasks as it has permits; the others wait', () => {
    const { semaphore, started, ask } = semaphoreOf(2);
    ask(5);
    expect(started).toEqual([1, 2]);
    expect(semaphore.waiting).toBe(3);
  });

  it('starts waiting tasks in the order of their calls', () => {
    const { semaphore, started, ask } = semaphoreOf(2);
    ask(5);
    for (let i = 0; i < 3; i++) semaphore.release();
    ask(1);
    expect(started).toEqual([1, 2, 3, 4, 5]);
    semaphore.release();
    expect(started).toEqual([1, 2, 3, 4, 5, 6]);
    expect(semaphore.waiting).toBe(0);
  });

  it('keeps a released permit when no task waits', () => {
    const { semaphore, started, ask } = semaphoreOf(2);
    ask(2);
    semaphore.release();
    semaphore.release();
    ask(3);
    expect(started).toEqual([1, 2, 3, 4]);
  });

  it('starts 100,000 tasks that are over at once', () => {
    const semaphore = new Semaphore(1);
    let over = 0;
    const task = () => {
      over++;
      semaphore.release();
    };
    semaphore.acquire(() => {});
    for (let i = 0; i < 100_000; i++) semaphore.acquire(task);
    semaphore.release();
    expect(over).toBe(100_000);
  });
});
