import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  between,
  chance,
  integerBetween,
  noise,
  noiseSeed,
  type Random,
  randomBytes,
  seededRandom,
} from '../../src/kernel/random.js';

const draw = (random: Random, count: number) => Array.from({ length: count }, () => random.next());

/** A generator that always returns `value`, and counts the draws. */
function constant(value: number) {
  const random = {
    drawn: 0,
    next: () => {
      random.drawn++;
      return value;
    },
    fork: () => random,
  };
  return random;
}

describe('the numbers of a seed', () => {
  // These fixed values keep the promise "same seed, same run" across Node versions and releases. A change would give other runs
  // for all seeds that users have noted down.
  it('are those of earlier versions', () => {
    expect(draw(seededRandom(7), 3)).toEqual([0.36459518410265446, 0.007880980148911476, 0.1876203876454383]);
    expect(draw(seededRandom(7).fork('device').fork('2159017985'), 2)).toEqual([
      0.37589665362611413, 0.8856669368688017,
    ]);
    expect(noiseSeed(seededRandom('pin'))).toBe(-736145174);
    expect([...randomBytes(seededRandom('pin'), 8)]).toEqual([212, 57, 170, 6, 198, 50, 207, 132]);
  });

  it('are the same for the seed as a number and as a text', () => {
    expect(draw(seededRandom(7), 5)).toEqual(draw(seededRandom('7'), 5));
  });

  it('differ from seed to seed', () => {
    const first = new Set(Array.from({ length: 1000 }, (_, seed) => seededRandom(seed).next()));
    expect(first.size).toBe(1000);
  });
});

describe('a fork', () => {
  it('does not depend on draws of its parent or its siblings', () => {
    const untouched = seededRandom('fleet').fork('radio');
    const parent = seededRandom('fleet');
    draw(parent, 10);
    draw(parent.fork('sensor'), 10);
    expect(draw(parent.fork('radio'), 5)).toEqual(draw(untouched, 5));
  });

  it('does not change the numbers of its parent', () => {
    const parent = seededRandom('fleet');
    const before = draw(parent, 2);
    draw(parent.fork('radio'), 10);
    expect([...before, ...draw(parent, 2)]).toEqual(draw(seededRandom('fleet'), 4));
  });

  it('with the same name has the same numbers, and with a different name has different numbers', () => {
    const parent = seededRandom('fleet');
    expect(draw(parent.fork('a'), 3)).toEqual(draw(parent.fork('a'), 3));
    expect(draw(parent.fork('a'), 3)).not.toEqual(draw(parent.fork('b'), 3));
  });

  it('depends only on its path, whether it is made in one step or in several', () => {
    const root = seededRandom(1);
    expect(draw(root.fork('device/7/radio'), 3)).toEqual(draw(root.fork('device').fork('7').fork('radio'), 3));
  });
});

describe('a draw', () => {
  const unit = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

  it('between two numbers stays between them', () => {
    fc.assert(
      fc.property(unit, fc.integer(), fc.nat(), (value, from, width) => {
        const drawn = between(constant(value), from, from + width);
        expect(drawn).toBeGreaterThanOrEqual(from);
        expect(drawn).toBeLessThanOrEqual(from + width);
      }),
    );
  });

  it('of a whole number includes both ends', () => {
    const random = seededRandom('dice');
    const seen = new Set(Array.from({ length: 500 }, () => integerBetween(random, -1, 4)));
    expect([...seen].toSorted((a, b) => a - b)).toEqual([-1, 0, 1, 2, 3, 4]);
    expect(integerBetween(constant(0.999_999_999), 1, 6)).toBe(6);
    expect(integerBetween(constant(0), 1, 6)).toBe(1);
  });

  it('of a chance is true about as often as its probability says', () => {
    const random = seededRandom('coin');
    const hits = Array.from({ length: 10_000 }, () => chance(random, 0.2)).filter(Boolean).length;
    // Four standard deviations of sqrt(10000 · 0.2 · 0.8) = 40.
    expect(hits).toBeGreaterThan(2000 - 160);
    expect(hits).toBeLessThan(2000 + 160);
  });

  it.each([
    { ratio: 0, outcome: false },
    { ratio: 1, outcome: true },
  ])('of the chance $ratio uses no number', ({ ratio, outcome }) => {
    const random = constant(0);
    expect(chance(random, ratio)).toBe(outcome);
    expect(random.drawn).toBe(0);
  });

  it('of bytes has the given length and all byte values', () => {
    const bytes = randomBytes(seededRandom('bytes'), 20_000);
    expect(bytes).toHaveLength(20_000);
    expect(new Set(bytes).size).toBe(256);
  });
});

describe('noise', () => {
  it('has the same values as in earlier versions', () => {
    expect([noise(0, 0), noise(1, 0), noise(1, 1), noise(-5, 1000), noise(123_456_789, 1_099_511_627_779)]).toEqual([
      0, 0.27059913123957813, 0.5262006814591587, 0.21708232979290187, 0.5502113159745932,
    ]);
  });

  it('lies in [0, 1) for every seed and index, and is the same each time', () => {
    fc.assert(
      fc.property(fc.integer(), fc.maxSafeInteger(), (seed, index) => {
        const value = noise(seed, index);
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThan(1);
        expect(noise(seed, index)).toBe(value);
      }),
    );
  });

  it.each([0, 1, 2, -736_145_174])('of seed %d is spread evenly over 100 bins', (seed) => {
    const bins = new Array<number>(100).fill(0);
    for (let i = 0; i < 20_000; i++) {
      const bin = Math.floor(noise(seed, i) * 100);
      bins[bin] = (bins[bin] ?? 0) + 1;
    }
    // Chi-square with 99 degrees of freedom: mean 99, standard deviation 14.
    const chiSquare = bins.reduce((sum, count) => sum + ((count - 200) * (count - 200)) / 200, 0);
    expect(chiSquare).toBeGreaterThan(50);
    expect(chiSquare).toBeLessThan(160);
  });

  it.each([
    { neighbour: 'the next index', other: (seed: number, index: number) => noise(seed, index + 1) },
    { neighbour: 'the next seed', other: (seed: number, index: number) => noise(seed + 1, index) },
    { neighbour: 'the index 2^32 later', other: (seed: number, index: number) => noise(seed, index + 4_294_967_296) },
  ])('is not correlated with the noise of $neighbour', ({ other }) => {
    const count = 20_000;
    let sum = 0;
    for (let i = 0; i < count; i++) sum += (noise(42, i) - 0.5) * (other(42, i) - 0.5);
    // The covariance of independent numbers is 0 with a standard deviation of 1/12/sqrt(count) = 0.0006.
    expect(Math.abs(sum / count)).toBeLessThan(0.003);
  });
});
