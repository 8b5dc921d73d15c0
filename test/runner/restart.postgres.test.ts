/** Runs on PostgreSQL whose service is killed, or whose database is lost. */
import { expect, it } from 'vitest';
import { EXIT } from '../../src/kernel/errors.js';
import type { RunControl } from '../../src/runner/run.js';
import { newDatabase, newSeparateDatabase, query, sharedServer } from '../support/postgres/databases.js';
import { runText } from './run-text.js';

// This call fails with a reason if the PostgreSQL server did not start.
const server = await sharedServer();

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

it('a run in virtual time ends when its database is lost', async () => {
  const db = await newSeparateDatabase();
  const { pathname } = new URL(db);
  const lose = () => query(server, `DROP DATABASE ${pathname.slice(1)} WITH (FORCE)`);
  const text = `
name: lost
duration: 365d
fleet: [{ name: clime, profile: clime, count: 1, config: { interval-report: 300 } }]
`;
  const started = ({ clock }: RunControl) => void clock.after(600_000, 'the loss of the database', lose);
  const { exitCode, failure } = await runText(text, { db, started });
  expect(exitCode).toBe(EXIT.stuck);
  expect(failure).toContain(`${pathname} failed: the database cannot be reached`);
});
