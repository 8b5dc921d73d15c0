/** Runs with faults over UDP and HTTP, in real time, and with each fault that keeps a run from its end. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { broken, expectStuck, FINE, RESTARTED, restarted, SAFE, SLOW, slow, without } from './faulty.js';
import { runText } from './run-text.js';

/** Calls `use` with the path of a new database. */
async function withFile<T>(use: (db: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'ghostfleet-'));
  try {
    return await use(join(directory, 'cloud.db'));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

describe('a service that is killed', () => {
  it('causes the same events over UDP with a database file as in memory', async () => {
    const { digest } = await restarted();
    await withFile(async (db) => expect((await runText(RESTARTED, { db, transport: 'udp' })).digest).toBe(digest));
  });

  it('loses no message over HTTP either, and causes the same events in every run', async () => {
    const result = await runText(RESTARTED, { transport: 'http' });
    expect(broken(result)).toEqual(FINE);
    expect((await runText(RESTARTED, { transport: 'http' })).digest).toBe(result.digest);
  });

  it.each(['udp', 'http'] as const)('starts again on the same ports in real time, over %s', async (transport) => {
    const text = `
name: real
duration: 90s
settle: 30m
fleet: [{ name: clime, profile: clime, count: 3, config: { interval-report: 30 } }]
network: { latency: 5ms..50ms }
faults: [{ service-restart: { away: 10s }, from: 1m }]
load: [{ commands: [info show], rate: 30/m, from: 50s, until: 80s }]
expect:
  - service.crashes == 1
  - call.failed > 0
  - call.answered > 0${SAFE}
`;
    await withFile(async (db) => {
      expect(broken(await runText(text, { clock: 'real', speed: 30, transport, db }))).toEqual(FINE);
    });
  });

  it('starts again as soon as its store can be used', async () => {
    const result = await runText(`
name: late
duration: 1h
fleet: [{ name: clime, profile: clime, count: 1 }]
faults:
  - { service-restart: { away: 10s }, from: 20m }
  - { store-unavailable:, from: 20m5s, until: 20m20s }
load: [{ count-devices:, rate: 1/s, from: 20m500ms, until: 20m40s500ms }]
expect: [service.crashes == 1]
`);
    expect(broken(result)).toEqual(FINE);
    // Requests are due half a second after every full second. Those from 20m 1.5s to 20m 19.5s fail; those from 20m 20.5s to
    // 20m 40.5s are answered.
    expect(result.calls['count-devices']).toMatchObject({ failed: 19, answered: 21 });
  });

  it('does not start again while another fault keeps it down', async () => {
    const result = await runText(`
name: twice
duration: 1h
fleet: [{ name: clime, profile: clime, count: 1 }]
faults:
  - { service-restart: { away: 2m }, from: 20m }
  - { service-restart: { away: 5m }, from: 21m }
load: [{ count-devices:, rate: 1/m, from: 19m30s, until: 28m }]
expect: [service.crashes == 1, call.failed == 6]
`);
    expect(broken(result)).toEqual(FINE);
  });
});

describe('an API that is slow', () => {
  it('causes the same events in memory and over UDP', async () => {
    expect((await runText(SLOW, { transport: 'udp' })).digest).toBe((await slow()).digest);
  });

  it('delays requests in real time', async () => {
    const text = SLOW.replace('duration: 1h', 'duration: 80s\nsettle: 1h')
      .replace(/faults: .*/, 'faults: [{ api-delay: 5s, from: 1m }]')
      .replace(/steps: .*/, 'steps: [{ at: 75s, to: clime/1, commands: [info show] }]')
      .replace('from: 21m, until: 21m20s', 'from: 65s, until: 75s')
      .replace(/expect: .*/, 'expect: [step.done == 1, call.failed == 0]');
    const result = await runText(text, { clock: 'real', speed: 30 });
    expect(broken(result)).toEqual(FINE);
    // Times to the answer are in real time.
    expect(result.calls['count-devices']?.latency?.min).toBeGreaterThanOrEqual(5000 / 30);
  });
});

describe('a store', () => {
  it('that cannot be written can still be read', async () => {
    const result = await runText(without('writes'));
    expect(broken(result)).toEqual(FINE);
    expect(result.calls['count-devices']).toMatchObject({ answered: 30, failed: 0 });
  });
});

describe('a world that does not come to rest', () => {
  it.each([
    ['loss: 100%', /clime-0001 with an exchange.*; still in force: loss$/],
    ['no-signal:, to: clime/1', /clime-0001 with an exchange.*; still in force: no-signal \(clime\/1\)$/],
    ['signal: { rsrp: -140 }', /clime-0001 with an exchange.*; still in force: signal$/],
    ['modem-failure: mute', /clime-0001 with an exchange.*; still in force: modem-failure$/],
    ['store-unavailable:', /clime-0001 with an exchange.*; still in force: store-unavailable$/],
    ['store-unavailable: writes', /clime-0001 with an exchange.*; still in force: store-unavailable$/],
    ['service-down:', /clime-0001 with an exchange.*; still in force: service-down$/],
    ['service-restart:', /clime-0001 with an exchange.*; still in force: service-restart$/],
  ])('because of %s fails the run with a message that names the fault and the waiting work', expectStuck);
});
