import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatRatio, parseRatio } from '../../src/kernel/ratio.js';

describe('a ratio', () => {
  it.each([
    ['1/20', 0.05],
    ['5%', 0.05],
    ['0', 0],
    ['1', 1],
    ['0%', 0],
    ['100%', 1],
    ['2.5 %', 0.025],
    [' 3 / 4 ', 0.75],
    ['20/20', 1],
    ['0/7', 0],
    ['0.01', 0.01],
    ['1.0', 1],
    ['.5', 0.5],
    ['1e-3', 0.001],
    ['1/100', 0.01],
  ])('is read from "%s"', (text, expected) => {
    expect(parseRatio(text)).toBe(expected);
  });

  it.each([
    '21/20',
    '101%',
    '100.01%',
    '-5%',
    '1/0',
    '0/0',
    '1.01',
    '-0.5',
    '0.5x',
    '2',
    '5',
    '%',
    '',
    '1/2/3',
    '1e-2%',
    `${'9'.repeat(400)}/${'9'.repeat(400)}`,
  ])('is not read from "%s"', (text) => {
    expect(parseRatio(text)).toBeUndefined();
  });

  it.each([
    [0, '0%'],
    [0.05, '5%'],
    [1 / 3, '33.33%'],
    [1, '100%'],
  ])('of %d is written "%s"', (ratio, expected) => {
    expect(formatRatio(ratio)).toBe(expected);
  });

  it('in hundredths of a percent is the same after writing and reading', () => {
    fc.assert(
      fc.property(fc.nat(10_000), (n) => {
        expect(parseRatio(formatRatio(n / 10_000))).toBeCloseTo(n / 10_000, 12);
      }),
    );
  });
});
