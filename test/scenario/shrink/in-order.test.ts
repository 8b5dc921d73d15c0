import { describe, expect, it } from 'vitest';
import { inOrder } from '../../../src/scenario/shrink/in-order.js';

/** Work whose items end when the test says so. */
function controlled() {
  const ends = new Map<number, (result: string) => void>();
  const aborted: number[] = [];
  const work = (item: number, signal: AbortSignal) => {
    signal.addEventListener('abort', () => aborted.push(item));
    return new Promise<string>((resolve) => {
      ends.set(item, (result) => {
        ends.delete(item);
        resolve(result);
      });
    });
  };
  return { work, aborted, running: () => [...ends.keys()], end: (item: number) => ends.get(item)?.(`${item}!`) };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

function* numbers(most: number): Iterable<number> {
  for (let n = 1; n <= most; n++) yield n;
}

describe('work in order', () => {
  it('works on several items at a time, and returns the results in the order of the items', async () => {
    const { work, running, end } = controlled();
    const results: (readonly [number, string])[] = [];
    const done = (async () => {
      for await (const result of inOrder(numbers(4), 2, work)) results.push(result);
    })();
    await settled();
    expect(running()).toEqual([1, 2]);
    end(2);
    await settled();
    expect(running()).toEqual([1, 3]);
    expect(results).toEqual([]);
    end(1);
    await settled();
    expect(results).toEqual([
      [1, '1!'],
      [2, '2!'],
    ]);
    expect(running()).toEqual([3, 4]);
    end(4);
    end(3);
    await done;
    expect(results.map(([item]) => item)).toEqual([1, 2, 3, 4]);
  });

  it('aborts the work whose results are not needed, and begins no further items', async () => {
    const { work, running, end, aborted } = controlled();
    const done = (async () => {
      for await (const [item] of inOrder(numbers(100), 3, work)) return item;
    })();
    await settled();
    end(1);
    expect(await done).toBe(1);
    expect(aborted).toEqual(expect.arrayContaining([2, 3]));
    const left = running();
    for (const item of left) end(item);
    await settled();
    expect(running()).toEqual([]);
  });

  it('with one item at a time, begins an item only after the result of the previous one has been taken', async () => {
    const begun: number[] = [];
    const work = async (item: number) => {
      begun.push(item);
      return item;
    };
    for await (const [item] of inOrder(numbers(3), 1, work)) {
      await settled();
      expect(begun).toEqual([...numbers(item)]);
    }
  });

  it('does not go far ahead of a slow item', async () => {
    const begun: number[] = [];
    const work = async (item: number) => {
      begun.push(item);
      if (item === 1) await new Promise(() => {});
    };
    void inOrder(numbers(1_000), 2, work).next();
    await settled();
    expect(begun.length).toBeGreaterThan(2);
    expect(begun.length).toBeLessThan(20);
  });

  it('reports a failure in its turn, and ignores failures of results that are not taken', async () => {
    const work = async (item: number) => {
      if (item > 1) throw new Error(`no ${item}`);
      return item;
    };
    const all = inOrder(numbers(3), 3, work);
    expect(await all.next()).toEqual({ done: false, value: [1, 1] });
    await expect(all.next()).rejects.toThrow('no 2');
  });
});
