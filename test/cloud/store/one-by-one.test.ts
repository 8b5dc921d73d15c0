import { expect, it } from 'vitest';
import { OneByOne } from '../../../src/cloud/store/one-by-one.js';

it('work for the same thing runs in the order of the calls, one at a time, also after a failure', async () => {
  const turns = new OneByOne();
  const seen: string[] = [];
  const work = (name: string, fails = false) =>
    turns.run('key', async () => {
      seen.push(`${name} begins`);
      await Promise.resolve();
      seen.push(`${name} ends`);
      if (fails) throw new Error(name);
    });
  const ends = await Promise.allSettled([work('a'), work('b', true), work('c')]);
  expect(seen).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

it('the callers take turns: the second call of one waits for one call of another, however many that has made', async () => {
  const turns = new OneByOne();
  const seen: string[] = [];
  const call = (caller: string, n: number) => turns.run('key', async () => void seen.push(`${caller}${n}`), caller);
  const flood = Array.from({ length: 50 }, (_, n) => call('a', n));
  await Promise.all([...flood, call('b', 1), call('b', 2)]);
  expect(seen.slice(0, 5)).toEqual(['a0', 'b1', 'a1', 'b2', 'a2']);
  expect(seen).toHaveLength(52);
});

it('a call is rejected if 2,000 wait for the same thing, and the next one is accepted when they have ended', async () => {
  const turns = new OneByOne();
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const calls = Array.from({ length: 2001 }, () => turns.run('key', () => held));
  await expect(turns.run('key', () => held)).rejects.toThrow('retry later');
  await expect(turns.run('another', async () => 1)).resolves.toBe(1);
  release();
  await Promise.all(calls);
  await expect(turns.run('key', async () => 2)).resolves.toBe(2);
});
