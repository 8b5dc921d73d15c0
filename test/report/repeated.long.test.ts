/** Many comparisons of several runs on each side. The runs are generated, so that the true difference is known. */
import { describe, expect, it } from 'vitest';
import { between } from '../../src/kernel/random.js';
import { compareWorlds, STEADY, type World } from './generated-sides.js';

const WORLDS: Readonly<Record<string, World>> = {
  'runs that differ only by the chance of their values': STEADY,
  'runs that differ by up to a fifth': { ...STEADY, ofRun: (random) => between(random, 0.8, 1.2) },
  'runs of which one in ten is three times as slow': { ...STEADY, ofRun: (random) => (random.next() < 0.1 ? 3 : 1) },
  'runs with few values': { ...STEADY, values: 25 },
  'runs whose values are of two kinds': {
    values: 60,
    ofRun: () => 1,
    ofValue: (random) => (random.next() < 0.6 ? between(random, 10, 12) : between(random, 60_000, 61_000)),
  },
};

describe('comparing several runs with several', () => {
  it.each(Object.entries(WORLDS))('finds a difference in at most one of 20 comparisons of %s', (name, world) => {
    for (const isPaired of [false, true]) {
      const found = Array.from({ length: 20 }, (_, i) => compareWorlds(world, `${name} ${i}`, { isPaired }));
      expect(found[0]?.isPaired).toBe(isPaired);
      expect(found.filter(({ different }) => different).length).toBeLessThanOrEqual(1);
    }
  });

  it('has intervals that contain the true change together in at least 19 of 20 comparisons', () => {
    const found = Array.from({ length: 20 }, (_, i) =>
      compareWorlds(WORLDS['runs that differ by up to a fifth'] ?? STEADY, `true ${i}`, { slower: 1.3 }),
    );
    const right = found.filter(({ rows }) =>
      rows.every(({ unit, interval }) => {
        const truth = unit === 'ms' ? 1.3 : 1;
        return interval !== null && interval[0] <= truth && truth <= interval[1];
      }),
    );
    expect(right.length).toBeGreaterThanOrEqual(19);
  });
});
