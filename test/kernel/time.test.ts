import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  days,
  exactDuration,
  formatDuration,
  hours,
  humanDuration,
  LONGEST,
  millis,
  minutes,
  parseDuration,
  seconds,
} from '../../src/kernel/time.js';

describe('a duration', () => {
  it.each([
    ['250ms', millis(250)],
    ['30s', seconds(30)],
    ['15m', minutes(15)],
    ['1h30m', hours(1.5)],
    ['2d12h', days(2.5)],
    ['1d2h3m4s5ms', days(1) + hours(2) + minutes(3) + seconds(4) + 5],
    ['1.5h', minutes(90)],
    ['0.5ms', 1],
    ['0', 0],
    ['0s', 0],
    ['  15m ', minutes(15)],
  ])('is read from "%s"', (text, expected) => {
    expect(parseDuration(text)).toBe(expected);
  });

  it.each([
    '',
    ' ',
    '5',
    '-3s',
    '+3s',
    '1m1h',
    '1m1m',
    '1e3s',
    '100001d',
    `${'9'.repeat(400)}d`,
    '1h 30m',
    '.5s',
    '5.s',
    '1,5s',
    '1S',
    '15min',
    's',
    '1h30',
    '٣s',
    `${'9'.repeat(400)}d`,
  ])('is not read from "%s"', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  it.each([
    [0, '0s'],
    [5_400_000, '1h30m'],
    [days(1) + 1, '1d1ms'],
    [-seconds(3), '-3s'],
    [0.6, '1ms'],
  ])('of %d ms is written "%s"', (duration, expected) => {
    expect(formatDuration(duration)).toBe(expected);
  });

  it.each([
    [0, '0s'],
    [840, '840ms'],
    [1_250, '1.25s'],
    [420_698, '7m0.698s'],
    [days(1) + 1, '1d0.001s'],
    [minutes(50), '50m'],
    [hours(3) + seconds(1), '3h1s'],
    [59_999.6, '1m'],
  ])(
    'of %d ms is written "%s" by exactDuration, with the milliseconds as decimals of the seconds',
    (duration, expected) => {
      expect(exactDuration(duration)).toBe(expected);
    },
  );

  it('is the same after writing and reading', () => {
    fc.assert(
      fc.property(fc.nat(LONGEST), (duration) => {
        expect(parseDuration(formatDuration(duration))).toBe(duration);
      }),
    );
    fc.assert(
      fc.property(fc.nat(1_000 * 86_400_000), (duration) => {
        expect(parseDuration(exactDuration(duration))).toBe(duration);
      }),
    );
  });

  it('is a whole number of milliseconds or undefined for any text', () => {
    const near = fc.string({ unit: fc.constantFrom('0', '1', '9', '.', 'm', 's', 'h', 'd', ' ', '-', 'e') });
    fc.assert(
      fc.property(fc.oneof(near, fc.string()), (text) => {
        const parsed = parseDuration(text);
        if (parsed !== undefined) {
          expect(Number.isInteger(parsed)).toBe(true);
          expect(parsed).toBeGreaterThanOrEqual(0);
        }
      }),
    );
  });
});

describe('a measured duration', () => {
  it.each([
    [0, '0s'],
    [840.4, '840ms'],
    [999.4, '999ms'],
    [999.6, '1s'],
    [12_400, '12.4s'],
    [59_949, '59.9s'],
    [59_950, '1m'],
    [72_400, '1m 12s'],
    [1_265_000, '21m 05s'],
    [3_599_400, '59m 59s'],
    [3_599_600, '1h'],
    [11_220_000, '3h 07m'],
    [86_399_000, '1d'],
    [days(12) + hours(5), '12d 05h'],
    [-12_400, '-12.4s'],
  ])('of %d ms is shown as %s', (duration, expected) => {
    expect(humanDuration(duration)).toBe(expected);
  });
});
