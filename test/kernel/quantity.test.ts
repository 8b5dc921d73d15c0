import { describe, expect, it } from 'vitest';
import { exactValue, humanChange, humanCount, humanShare, humanValue } from '../../src/kernel/quantity.js';

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
