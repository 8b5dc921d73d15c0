/** How the expiry of downlinks stops. `test/cloud/delivery` tests how it works (expiry.test.ts, downlink-life.test.ts). */
import { expect, it } from 'vitest';
import { Expiry } from '../../../src/cloud/maintenance/expiry.js';
import { QUIET, testCloud } from '../../support/cloud.js';
import { message } from '../store/rows.js';

it('a service that stops during a sweep waits for the downlink that it is expiring, and expires no further one', async () => {
  const { clock } = await testCloud();
  const overdue = [1, 2, 3].map((n) => message(n));
  let storeIsOpen = true;
  const expired: boolean[] = [];
  const store = { overdueDownlinks: async () => overdue, dueRecords: async () => [] };
  const expire = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    expired.push(storeIsOpen);
  };
  const expiry = new Expiry({ store, clock, log: QUIET }, { downlink: expire, update: expire });
  const running = clock.runUntil(clock.now);
  await new Promise((resolve) => setImmediate(resolve));
  await expiry.close();
  storeIsOpen = false;
  await running;
  expect(expired).toEqual([true]);
});
