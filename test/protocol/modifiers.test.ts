import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Modifier, modify, roundHalfAway } from '../../src/protocol/modifiers.js';
import { tries } from './fixtures.js';

const enumeration: Modifier = { kind: 'enum', labels: ['closed', 'open'] };

describe('modifiers', () => {
  it('apply in the order in which they are listed', () => {
    const double: Modifier = { kind: 'mul', by: 2 };
    const more: Modifier = { kind: 'add', by: 5 };
    const less: Modifier = { kind: 'sub', by: 1 };
    // 10 · 2 + 5 − 1 and (10 + 5 − 1) · 2
    expect(modify([double, more, less], 10)).toBe(24);
    expect(modify([more, less, double], 10)).toBe(28);
  });

  it('round after they divide', () => {
    const thousandths: Modifier[] = [
      { kind: 'div', by: 1000 },
      { kind: 'fpp', decimals: 2 },
    ];
    expect(modify(thousandths, 3606)).toBe(3.61);
    expect(modify(thousandths, 22500)).toBe(22.5);
    expect(modify(thousandths, 0)).toBe(0);
    expect(modify(thousandths, -3)).toBe(0);
  });

  it('name the values of an enumeration', () => {
    expect(modify([enumeration], 1)).toBe('open');
  });

  it.each([2, -1, 0.5, 1e9])('leave the number %d unchanged, because it is not in the enumeration', (value) => {
    expect(modify([enumeration], value)).toBe(value);
  });

  it('stop at the text of an enumeration, and continue with a number that is not in it', () => {
    const then: Modifier = { kind: 'add', by: 10 };
    expect(modify([enumeration, then], 1)).toBe('open');
    expect(modify([enumeration, then], 5)).toBe(15);
  });

  it('convert what JSON cannot represent to null', () => {
    expect(modify([{ kind: 'mul', by: 1e308 }], 1e308)).toBeNull();
    expect(modify([{ kind: 'fpp', decimals: 2 }], Number.NaN)).toBeNull();
    expect(modify([], Number.NEGATIVE_INFINITY)).toBeNull();
  });
});

describe('rounding', () => {
  it.each([
    [22.505, 2, 22.51],
    [-22.505, 2, -22.51],
    [1.005, 2, 1.01],
    [0.5, 0, 1],
    [-0.5, 0, -1],
    [2.5, 0, 3],
    [2.4999999, 0, 2],
    [0.1 + 0.2, 1, 0.3],
    [-0.001, 2, 0],
    [1234567.885, 2, 1234567.89],
    [12345678901.125, 2, 12345678901.13],
    [5e-7, 6, 0.000001],
    [4.9e-7, 6, 0],
    [1e21, 2, 1e21],
    [1.5e22, 15, 1.5e22],
    [9007199254740991, 2, 9007199254740991],
  ])('of %d to %d decimals is %d', (value, decimals, expected) => {
    expect(roundHalfAway(value, decimals)).toBe(expected);
  });

  it('is that of the exact decimal number raw / 10^n', () => {
    const raw = fc.integer({ min: -2_000_000_000, max: 2_000_000_000 });
    fc.assert(
      fc.property(raw, fc.integer({ min: 1, max: 4 }), fc.integer({ min: 0, max: 4 }), (value, digits, decimals) => {
        fc.pre(decimals < digits);
        const unit = 10n ** BigInt(digits - decimals);
        const size = BigInt(Math.abs(value));
        const rounded = Number((2n * size + unit) / (2n * unit)) / Number(10n ** BigInt(decimals));
        const signed = value < 0 && rounded !== 0 ? -rounded : rounded;
        expect(roundHalfAway(value / Number(10n ** BigInt(digits)), decimals)).toBe(signed);
      }),
      tries(10),
    );
  });

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true }), fc.integer({ min: 0, max: 15 }), (value, decimals) => {
        const once = roundHalfAway(value, decimals);
        expect(roundHalfAway(once, decimals)).toBe(once);
      }),
      tries(10),
    );
  });
});
