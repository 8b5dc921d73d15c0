import { expect, it } from 'vitest';
import { retryAfter } from '../../src/kernel/retry-after.js';

const DATE = 'Thu, 01 Jan 2026 00:00:00 GMT';
const NOW = Date.UTC(2026, 0, 1, 0, 0, 30);

it.each([
  ['61', undefined, 61_000],
  ['0', undefined, 0],
  ['Thu, 01 Jan 2026 00:01:01 GMT', DATE, 61_000],
  ['Thursday, 01-Jan-26 00:01:01 GMT', DATE, 61_000],
  ['Wed, 31 Dec 2025 23:59:00 GMT', DATE, 0],
  ['Thu, 01 Jan 2026 00:01:01 GMT', undefined, 31_000],
  ['86401', DATE, 86_400_000],
  ['4294967296', DATE, 86_400_000],
  ['1'.padEnd(25, '0'), DATE, 86_400_000],
  ['9'.repeat(40), DATE, 86_400_000],
  ['Fri, 31 Dec 9999 23:59:59 GMT', DATE, 86_400_000],
  ['1.5', DATE, undefined],
  ['-3', DATE, undefined],
  ['soon', DATE, undefined],
  [undefined, DATE, undefined],
])('Retry-After: %s in an answer of %s', (wait, date, delay) => {
  expect(retryAfter({ 'retry-after': wait, date }, NOW)).toBe(delay);
});

it('a date in Retry-After is ignored if neither the answer nor the caller has a date', () => {
  expect(retryAfter({ 'retry-after': 'Thu, 01 Jan 2026 00:01:01 GMT' })).toBeUndefined();
});
