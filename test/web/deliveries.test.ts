/** The deliveries of connectors in words. */
import { expect, it } from 'vitest';
import type { Delivery } from '../../src/client/types.js';
import { attemptsText } from '../../web/src/model/deliveries.js';

const said = (state: Delivery['state'], ...results: readonly (readonly [number | null, string | null])[]) =>
  attemptsText({
    state,
    attempts: results.length,
    log: results.map(([status, error], n) => ({
      ...{ attempt: n + 1, at: '2026-01-01T00:00:00.000Z', took: 82, target: null, status, error, response: null },
    })),
  });

it('a delivery that has not arrived says how its last attempt ended, and one that has does not', () => {
  expect(said('pending', [null, 'getaddrinfo ENOTFOUND hook.invalid'])).toBe(
    '1 attempt, the last one: getaddrinfo ENOTFOUND hook.invalid',
  );
  expect(said('failed', [500, null], [503, 'the response is too long'])).toBe(
    '2 attempts, the last one: 503 the response is too long',
  );
  expect(said('pending', [null, null])).toBe('1 attempt, the last one: no response');
  expect(said('delivered', [500, null], [200, null])).toBe('2 attempts');
  expect(said('pending')).toBe('0 attempts');
});
