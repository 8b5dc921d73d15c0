/** Half of the authorization matrix. `npm run security -- matrix` checks the whole one. */
import { expect, it } from 'vitest';
import { authorizationMatrix } from '../../../scripts/security/authorization/matrix.js';

it('every operation answers every kind of credential as the contract requires, for own, foreign and missing resources', async () => {
  const { operations, credentials, requests, failures } = await authorizationMatrix('half');
  expect(failures).toEqual([]);
  expect(operations).toBeGreaterThanOrEqual(80);
  expect(credentials).toBeGreaterThanOrEqual(35);
  expect(requests).toBeGreaterThan((operations * credentials) / 2);
});
