import { describe, expect, it } from 'vitest';
import { LazyMap } from '../../src/kernel/lazy-map.js';

function squares(...keys: readonly number[]) {
  const made: number[] = [];
  const map = new LazyMap(keys, (key) => {
    made.push(key);
    return key * key;
  });
  return { map, made };
}

describe('a lazy map', () => {
  it('creates a value once, at its first use', () => {
    const { map, made } = squares(2, 3);
    expect([map.size, map.has(3), [...map.keys()], made]).toEqual([2, true, [2, 3], []]);
    expect([map.get(3), map.get(3), made]).toEqual([9, 9, [3]]);
  });

  it('neither has nor creates a value for an unknown key', () => {
    const { map, made } = squares(2);
    expect([map.get(4), map.has(4), made]).toEqual([undefined, false, []]);
  });

  it('creates the values one by one during an iteration, in the order of the keys', () => {
    const { map, made } = squares(3, 2, 3);
    const first = map[Symbol.iterator]().next().value;
    expect([first, made]).toEqual([[3, 9], [3]]);
    expect([...map]).toEqual([
      [3, 9],
      [2, 4],
    ]);
    expect([...map.values()]).toEqual([9, 4]);
    const seen: unknown[] = [];
    map.forEach((value, key) => void seen.push([key, value]));
    expect(seen).toEqual([...map.entries()]);
  });

  it('throws the error of the function that creates the values at each access to the value', () => {
    const map = new LazyMap(['broken'], (key) => {
      throw new Error(`${key} file`);
    });
    expect(() => map.get('broken')).toThrow('broken file');
    expect(() => [...map]).toThrow('broken file');
    expect(map.has('broken')).toBe(true);
  });
});
