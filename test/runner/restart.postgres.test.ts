/** A service that is killed in the middle of a run, while its database keeps running. */
import { expect, it } from 'vitest';
import { newDatabase, sharedServer } from '../support/postgres/databases.js';
import { runText } from './run-text.js';

// This call fails with a reason if the PostgreSQL server did not start.
await sharedServer();

it('a service that is killed gives the same run on PostgreSQL as in memory', async () => {
  const text = `
name: restarted
duration: 1h
fleet: [{ name: clime, profile: clime, count: 3, config: { interval-report: 300 } }]
network: { latency: 150ms..900ms, loss: 2% }
faults: [{ service-restart: { away: 2m }, from: 20m }]
steps: [{ at: 15m, over: 10m, commands: [info show] }]
expect: [service.crashes == 1, uplink.stored == uplink.sent, always no-loss-across-reconnects]
`;
  const result = await runText(text, { db: await newDatabase() });
  expect(result).toMatchObject({ failure: null, passed: true });
  expect(result.digest).toBe((await runText(text)).digest);
});
