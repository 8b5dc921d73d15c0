/** Who controls a run: a sample of the matrix of its port. `npm run security -- matrix` checks the whole. */
import { expect, it } from 'vitest';
import { runPortMatrix } from '../../scripts/security/authorization/run-port.js';

it('only a session that began with a one-time token controls a run, also while its cloud is down', async () => {
  const { failures, credentials, requests } = await runPortMatrix('sample');
  expect(failures).toEqual([]);
  expect(credentials).toBeGreaterThanOrEqual(20);
  expect(requests).toBeGreaterThan(450);
});
