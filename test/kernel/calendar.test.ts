import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isoTime, parseUtc, parseUtcOrDate, utcTime } from '../../src/kernel/calendar.js';

describe('a calendar time in UTC', () => {
  it.each([
    ['2026-03-02T06:00Z', Date.UTC(2026, 2, 2, 6)],
    ['2026-03-02T06:00:07Z', Date.UTC(2026, 2, 2, 6, 0, 7)],
    ['2026-03-02T06:00:07.5Z', Date.UTC(2026, 2, 2, 6, 0, 7, 500)],
    ['2026-03-02T06:00:07.025Z', Date.UTC(2026, 2, 2, 6, 0, 7, 25)],
    ['2024-02-29T23:59:59.999Z', Date.UTC(2024, 1, 29, 23, 59, 59, 999)],
    ['0001-01-01T00:00Z', -62_135_596_800_000],
  ])('is parsed from %s', (text, time) => {
    expect(parseUtc(text)).toBe(time);
  });

  it.each([
    ['2026-02-29T00:00Z'],
    ['2026-02-30T00:00Z'],
    ['2026-00-01T00:00Z'],
    ['2026-13-01T00:00Z'],
    ['2026-01-00T00:00Z'],
    ['2026-01-01T24:00Z'],
    ['2026-01-01T10:60Z'],
    ['2026-01-01T10:00:60Z'],
    ['2026-01-01T10:00:00.1234Z'],
    ['2026-01-01T10:00'],
    ['2026-01-01T10:00+00:00'],
    ['2026-01-01 10:00Z'],
    ['2026-01-01'],
    ['+02026-01-01T10:00Z'],
    [''],
  ])('is not parsed from "%s"', (text) => {
    expect(parseUtc(text)).toBeUndefined();
  });

  it('is written in a form that can be parsed, for every millisecond', () => {
    fc.assert(
      fc.property(fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 }), (at) => {
        expect(parseUtc(isoTime(at))).toBe(at);
      }),
    );
  });

  it('may be a date alone for parseUtcOrDate, and is then the first moment of that day', () => {
    expect(parseUtcOrDate('2026-03-02')).toBe(Date.UTC(2026, 2, 2));
    expect(parseUtcOrDate('2026-03-02T06:00Z')).toBe(Date.UTC(2026, 2, 2, 6));
    expect(parseUtcOrDate('2026-02-30')).toBeUndefined();
    expect(parseUtcOrDate('2026-3-2')).toBeUndefined();
  });

  it('is computed from fields in which the month is counted from 1', () => {
    const fields = { year: 2026, month: 12, day: 31, hour: 23, minute: 59, second: 58, milli: 7 };
    expect(utcTime(fields)).toBe(Date.UTC(2026, 11, 31, 23, 59, 58, 7));
    expect(utcTime({ ...fields, month: 11 })).toBeUndefined();
  });
});
