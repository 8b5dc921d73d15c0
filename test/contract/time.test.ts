import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTimestamp } from '../../src/contract/time.js';
import { isoTime } from '../../src/kernel/calendar.js';

describe('a timestamp', () => {
  it('is parsed in every form that clients send, as UTC if it has no time zone', () => {
    const noon = Date.UTC(2026, 6, 1, 12);
    for (const text of [
      '2026-07-01T12:00:00.000Z',
      '2026-07-01T12:00:00',
      '2026-07-01T12:00',
      '2026-07-01 12:00:00',
      '2026-07-01t12:00:00z',
      '2026-07-01T14:00:00+02:00',
      '2026-07-01T14:00:00 02:00',
      '2026-07-01T14:00:00+0200',
      '2026-07-01T09:30:00-02:30',
      '2026-07-01T12:00:00.0000009Z',
      '2026-07-01T14:00:00+02',
      '2026-07-01T14:00:00 02',
      '2026-07-01T12Z',
      '2026-07-01T12',
      '20260701T120000Z',
      '20260701T120000.000Z',
      '20260701T140000+0200',
      '20260701T1400+02',
      '20260701T12',
    ]) {
      expect([text, parseTimestamp(text)]).toEqual([text, noon]);
    }
    expect(parseTimestamp('2026-07-01')).toBe(Date.UTC(2026, 6, 1));
    expect(parseTimestamp('20260701')).toBe(Date.UTC(2026, 6, 1));
    for (const text of ['2026-06-30T24:00:00Z', '2026-06-30T24:00', '20260630T240000.000', '2026-07-01T02:00+02']) {
      expect([text, parseTimestamp(text)]).toEqual([text, Date.UTC(2026, 6, 1)]);
    }
    expect(parseTimestamp('2026-12-31T24:00:00+01:00')).toBe(Date.UTC(2026, 11, 31, 23));
    expect(parseTimestamp('2026-07-01T12:00:00.5Z')).toBe(noon + 500);
    expect(parseTimestamp('2026-07-01T12:00:00,123456')).toBe(noon + 123);
    expect(parseTimestamp('2016-01-01T08:00:00.000Z')).toBe(Date.UTC(2016, 0, 1, 8));
    expect(isoTime(parseTimestamp('0001-01-01T00:00:00') ?? 0)).toBe('0001-01-01T00:00:00.000Z');
  });

  it('is rejected if the time does not exist', () => {
    for (const text of [
      '',
      'yesterday',
      '2026-13-01',
      '2026-02-30',
      '2026-00-10',
      '2026-01-01T24:01',
      '2026-01-01T24:00:01',
      '2026-01-01T24:00:00.001',
      '2026-01-01T25',
      '20261301',
      '2026-0101',
      '202601-01',
      '2026-01-01T1200:00',
      '2026-01-01T10:0000',
      '20260101120000',
      '2026-01-01T10:60',
      '2026-01-01T10:00:60',
      '1767225600000',
      '2026-01-01T10:00:00+25:00',
    ]) {
      expect([text, parseTimestamp(text)]).toEqual([text, undefined]);
    }
  });

  it('is written in a form that can be parsed again', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e12 }), (at) => {
        expect(parseTimestamp(isoTime(at))).toBe(at);
      }),
    );
  });
});
