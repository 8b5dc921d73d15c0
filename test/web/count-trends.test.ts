/** The small curves of the counters of a run. */
import { beforeEach, describe, expect, it } from 'vitest';
import { CountTrends } from '../../web/src/model/count-trends.js';

const kept = new Map<string, string>();
const store = {
  get: (key: string) => kept.get(key),
  set: (key: string, text: string | undefined) => void kept.set(key, text ?? ''),
};
const state = (minute: number, sent: number) => ({ now_ms: minute * 60_000, counts: { sent } });

beforeEach(() => kept.clear());

describe('the trend of a counter', () => {
  it('has the increase per simulated minute, also between states that are far apart', () => {
    const trends = new CountTrends(store);
    for (const each of [state(1, 10), state(2, 14), state(2, 14), state(12, 24)]) trends.see(each);
    expect(trends.ratesOf('sent')).toEqual([4, 1]);
    expect(trends.ratesOf('other')).toEqual([0, 0]);
  });

  it('goes on after a reload of the page', () => {
    const before = new CountTrends(store);
    for (const each of [state(1, 10), state(2, 14)]) before.see(each);
    expect(new CountTrends(store).ratesOf('sent')).toEqual([4]);
  });

  it('begins anew with another run, and without a text that it can read', () => {
    const trends = new CountTrends(store);
    for (const each of [state(5, 10), state(6, 14), state(1, 0), state(2, 2)]) trends.see(each);
    expect(trends.ratesOf('sent')).toEqual([2]);
    kept.set('ghostfleet.counts', '{');
    expect(new CountTrends(store).ratesOf('sent')).toEqual([]);
  });
});
