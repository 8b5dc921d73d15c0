import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isoTime, parseTime, parseTimeOrDate, utcTime } from '../../src/kernel/calendar.js';

describe('a calendar time', () => {
  it.each([
    ['2026-03-02T06:00Z', Date.UTC(2026, 2, 2, 6)],
    ['2026-03-02T06:00:07Z', Date.UTC(2026, 2, 2, 6, 0, 7)],
    ['2026-03-02T06:00:07.5Z', Date.UTC(2026, 2, 2, 6, 0, 7, 500)],
    ['2026-03-02T06:00:07.025Z', Date.UTC(2026, 2, 2, 6, 0, 7, 25)],
    ['2026-03-02T06:00:07.123456789Z', Date.UTC(2026, 2, 2, 6, 0, 7, 123)],
    ['2026-03-02T06:00:07.9999999+00:00', Date.UTC(2026, 2, 2, 6, 0, 7, 999)],
    ['2026-03-02T01:30:07.5+05:30', Date.UTC(2026, 2, 1, 20, 0, 7, 500)],
    ['2026-03-02 06:00:07-08:00', Date.UTC(2026, 2, 2, 14, 0, 7)],
    ['2026-03-02t06:00z', Date.UTC(2026, 2, 2, 6)],
    ['2024-02-29T23:59:59.999Z', Date.UTC(2024, 1, 29, 23, 59, 59, 999)],
    ['0001-01-01T00:00Z', -62_135_596_800_000],
  ])('is parsed from %s', (text, time) => {
    expect(parseTime(text)).toBe(time);
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
    ['2026-01-01T10:00:00.Z'],
    ['2026-01-01T10:00+24:00'],
    ['2026-01-01T10:00+01:60'],
    ['2026-01-01T10:00'],
    ['2026-01-01'],
    ['+02026-01-01T10:00Z'],
    [''],
  ])('is not parsed from "%s"', (text) => {
    expect(parseTime(text)).toBeUndefined();
  });

  it('keeps its fraction of a millisecond if it is read exactly', () => {
    const second = Date.UTC(2026, 2, 2, 6, 0, 7);
    const exact = ['.123456', '.5', '.1239', ''].map(
      (digits) => (parseTime(`2026-03-02T06:00:07${digits}Z`, true) ?? 0) - second,
    );
    expect(exact.map((time) => Math.round(1000 * time))).toEqual([123_456, 500_000, 123_900, 0]);
  });

  it('is written in a form that can be parsed, for every millisecond', () => {
    fc.assert(
      fc.property(fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 }), (at) => {
        expect(parseTime(isoTime(at))).toBe(at);
      }),
    );
  });

  it('is written as by Date, whatever time was written before', () => {
    const time = fc.oneof(
      fc.integer({ min: -8.64e15, max: 8.64e15 }),
      fc.double({ min: 0, max: 253_402_300_801_000, noNaN: true }),
      fc.integer({ min: 1_772_400_000_000, max: 1_772_500_000_000 }),
    );
    fc.assert(
      fc.property(fc.array(time), (times) => {
        expect(times.map((at) => isoTime(at))).toEqual(times.map((at) => new Date(at).toISOString()));
      }),
    );
    expect(() => isoTime(Number.NaN)).toThrow(RangeError);
  });

  it('may be a date alone for parseTimeOrDate, and is then the first moment of that day', () => {
    expect(parseTimeOrDate('2026-03-02')).toBe(Date.UTC(2026, 2, 2));
    expect(parseTimeOrDate('2026-03-02T06:00Z')).toBe(Date.UTC(2026, 2, 2, 6));
    expect(parseTimeOrDate('2026-02-30')).toBeUndefined();
    expect(parseTimeOrDate('2026-3-2')).toBeUndefined();
  });

  it('is computed from fields in which the month is counted from 1', () => {
    const fields = { year: 2026, month: 12, day: 31, hour: 23, minute: 59, second: 58, milli: 7 };
    expect(utcTime(fields)).toBe(Date.UTC(2026, 11, 31, 23, 59, 58, 7));
    expect(utcTime({ ...fields, month: 11 })).toBeUndefined();
  });
});
