import { describe, expect, it } from 'vitest';
import { exactValue, humanChange, humanCount, humanShare, humanValue, valueBeside } from '../../src/kernel/quantity.js';
import { between, seededRandom } from '../../src/kernel/random.js';

describe('numbers as texts', () => {
  it.each([
    [0, '0'],
    [999, '999'],
    [1000, '1,000'],
    [1_234_567, '1,234,567'],
    [-1234, '-1,234'],
    [1234.5678, '1,234.5678'],
    [0.1 + 0.2, '0.3'],
  ])('the count %d is %s', (count, text) => {
    expect(humanCount(count)).toBe(text);
    expect(humanValue(count, 'count')).toBe(text);
  });

  it('durations are rounded for people; the exact form of a duration can be read back', () => {
    expect([humanValue(1_265_432, 'ms'), exactValue(1_265_432, 'ms')]).toEqual(['21m 05s', '21m5s432ms']);
  });

  it.each([
    [393_215, 393_000, 'ms', '6m33.215s'],
    [71_449, 71_400, 'ms', '1m11.449s'],
    [100.0004, 100, 'ms', '100.0004ms'],
    [393_215, 400_000, 'ms', '6m 33s'],
    [393_000, 393_000, 'ms', '6m 33s'],
    [0.9999999, 1, 'ratio', '99.99999%'],
    [0.9875, 0.99, 'ratio', '98.75%'],
    [12_345_678_901.5, 12_345_678_901, 'count', '12,345,678,901.5'],
    [1 / 3, null, 'ratio', '33.3333%'],
  ] as const)('the value %d beside the limit %d (%s) is %s', (value, limit, unit, text) => {
    expect(valueBeside(value, limit, unit)).toBe(text);
  });

  it('a value beside a limit never has the text of the limit, unless it is equal', () => {
    const random = seededRandom(5).fork('limits');
    for (let i = 0; i < 3000; i++) {
      const limit = between(random, 0, 10) * between(random, 0, 1e6);
      const value = limit * (1 + between(random, -1, 1) * (i % 3 === 0 ? 1e-8 : 1e-3));
      for (const unit of ['ms', 'ratio', 'count'] as const) {
        expect(valueBeside(value, limit, unit)).not.toBe(valueBeside(limit, limit, unit));
      }
    }
  });

  it('exact counts have no separators', () => {
    expect(exactValue(1_234_567, 'count')).toBe('1234567');
  });

  it('ratios are in percent, with four decimals at most', () => {
    expect([humanValue(0.9875, 'ratio'), exactValue(1 / 3, 'ratio')]).toEqual(['98.75%', '33.3333%']);
  });

  it('shares have one decimal, and a share that would be rounded to 0 is shown as <0.1%', () => {
    expect([0, 0.0004, 0.0005, 0.9999, 1].map(humanShare)).toEqual(['0.0%', '<0.1%', '0.1%', '100.0%', '100.0%']);
  });

  it('changes have a sign', () => {
    expect([-0.073, 0, 0.0449].map(humanChange)).toEqual(['-7.3%', '0.0%', '+4.5%']);
  });
});
