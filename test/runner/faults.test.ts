/** Runs with faults: their effects, the recovery of devices and service, and runs that do not come to rest. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../src/kernel/errors.js';
import type { RunResult } from '../../src/report/result.js';
import { runText } from './run-text.js';

const SAFE = `
  - always uplinks-stored-once
  - always no-loss-across-reconnects
  - always downlinks-settled
  - always no-delivery-after-cancel
  - always downlinks-answered`;

/** The failure and the failed expectations of a run. */
const broken = ({ failure, expectations }: RunResult) => ({
  failure,
  expectations: expectations.filter(({ passed }) => !passed).map(({ sentence }) => sentence),
});
const FINE = { failure: null, expectations: [] };

/** Calls `use` with the path of a new database. */
async function withFile<T>(use: (db: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'ghostfleet-'));
  try {
    return await use(join(directory, 'cloud.db'));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

it('a run recovers after faults of devices and of the service, and reports their effects', async () => {
  const text = `
name: faulty
duration: 2h
fleet: [{ name: clime, profile: clime, count: 3, config: { interval-report: 300 } }]
faults:
  - { no-signal:, from: 20m, until: 40m, to: clime/1 }
  - { reboot: { every: 10m }, from: 20m, until: 40m, to: clime/2 }
  - { service-down:, from: 50m, until: 60m }
  - { store-unavailable:, from: 70m, until: 80m }
  - { api-errors: { status: 500, share: 100% }, from: 90m, until: 100m }
steps:
  - { at: 55m, to: clime/3, commands: [info show] }
  - { at: 75m, to: clime/3, commands: [info show] }
  - { at: 95m, to: clime/3, commands: [info show] }
  - { at: 110m, to: clime/3, commands: [info show] }
load: [{ count-devices:, rate: 1/m, from: 85m, until: 105m }]
expect:
  - step.failed == 3
  - downlink.rejected == 3
  - service.faults > 10
  - call.failed == 10
  - downlink.delivered == 1
`;
  const result = await runText(text);
  expect(result.failure).toBeNull();
  expect(result.expectations.filter(({ passed }) => !passed)).toEqual([]);
  expect((await runText(text)).digest).toBe(result.digest);
});

it('a run counts downlinks that the API rejects as never delivered, and reports their number', async () => {
  const result = await runText(`
name: rejected
duration: 3h
fleet: [{ name: clime, profile: clime, count: 2, config: { interval-report: 300 } }]
faults: [{ api-errors: { status: 500, share: 100% }, from: 1h, until: 80m }]
steps:
  - { at: 30m, commands: [info show] }
  - { at: 70m, to: clime/1, commands: [info show] }
load:
  - { commands: [info show], to: clime/2, rate: 12/h, from: 75m, until: 95m }
  - { count-devices:, rate: 12/h, from: 75m, until: 95m }
expect:
  - downlink.answered within 1h >= 75%
  - downlink.answered p(95) < 1h
  - downlink.delivered within 1h of clime/1 >= 95%
`);
  // Two steps and three requests of the load are accepted; the step to clime/1 and one request of the load are not.
  expect(result.expectations.map(({ passed, sentence }) => [passed, sentence])).toEqual([
    [false, 'downlink.answered within 1h is 71.4286% (5 of 7; 2 were rejected by the API), wanted >= 75%'],
    [false, expect.stringMatching(/^not decidable: .* leaves out 2 of 7 \(2 rejected by the API\)/)],
    [false, 'downlink.delivered within 1h of clime/1 is 50% (1 of 2; 1 was rejected by the API), wanted >= 95%'],
  ]);
  expect(result.anomalies).toContainEqual(expect.objectContaining({ name: 'downlink-rejected', count: 2 }));
});

describe('a service that is killed', () => {
  const RESTARTED = `
name: restarted
duration: 85m
fleet: [{ name: clime, profile: clime, count: 3, config: { interval-report: 300 } }]
network: { latency: 150ms..900ms, loss: 2% }
faults:
  - { service-restart: { away: 30s }, from: 20m }
  - { service-restart:, from: 50m, until: 60m }
steps:
  - { at: 15m, over: 10m, commands: [info show] }
  - { at: 55m, to: clime/3, tag: { add: [late] } }
  - { at: 65m, over: 10m, tag: { add: [late] } }
  - { at: 70m, over: 10m, config: { interval-report: 600 } }
load: [{ count-devices:, rate: 1/m, from: 40m, until: 70m }]
expect:
  - service.crashes == 2
  - downlink.delivered == downlink.queued
  - call.failed == 10
  - step.failed <= 2${SAFE}
`;

  let first: Promise<RunResult> | undefined;
  /** Runs the scenario in memory once; later calls return the same result. */
  const restarted = () => (first ??= runText(RESTARTED));

  it('loses its memory, but no acknowledged message', async () => {
    const result = await restarted();
    expect(broken(result)).toEqual(FINE);
    expect(result.calls['count-devices']?.reasons).toEqual({ 'no answer: ECONNREFUSED': 10 });
    expect(result.fleet.restarts).toBeGreaterThan(0);
  });

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
  const SLOW = `
name: slow
duration: 1h
fleet: [{ name: clime, profile: clime, count: 3, config: { interval-report: 300 } }]
faults: [{ api-delay: 2s, from: 20m, until: 30m }, { api-delay: 1s, from: 25m, until: 30m }]
steps: [{ at: 22m, tag: { add: [cold] } }, { at: 26m, commands: [info show] }]
load: [{ count-devices:, rate: 1/s, from: 21m, until: 21m20s }]
expect: [step.done == 6, call.failed == 0, downlink.delivered == 3]
`;

  let first: Promise<RunResult> | undefined;
  /** Runs the scenario in memory once; later calls return the same result. */
  const slow = () => (first ??= runText(SLOW));

  it('delays requests in virtual time', async () => {
    const result = await slow();
    expect(broken(result)).toEqual(FINE);
    expect(result.calls['count-devices']?.latency).toMatchObject({ count: 20, p50: 2000, max: 2000 });
    expect(result.calls['count-devices']?.service).toMatchObject({ p50: 2000, max: 2000 });
    // The requests of a step are sent one after another, in the order of the devices.
    const queued = result.downlinks.slowest.map(({ queuedAt }) => queuedAt - 26 * 60_000).sort((a, b) => a - b);
    expect(queued).toEqual([3000, 6000, 9000]);
  });

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
  const without = (what: string) => `
name: storeless
duration: 70m
fleet: [{ name: clime, profile: clime, count: 3, config: { interval-report: 300 } }]
network: { latency: 150ms..900ms, loss: 2% }
faults: [{ store-unavailable: ${what}, from: 40m, until: 50m }]
steps: [{ at: 38m, over: 2m, commands: [info show] }, { at: 45m, to: clime/1, commands: [info show] }]
load: [{ count-devices:, rate: 1/m, from: 30m, until: 60m }]
expect:
  - downlink.delivered == 3
  - step.failed == 1
  - always downlinks-executed-once${SAFE}
`;

  it('that cannot be used is neither read nor written: requests get 503, devices repeat, and nothing is lost', async () => {
    const result = await runText(without(''));
    expect(broken(result)).toEqual(FINE);
    expect(result.calls['count-devices']?.reasons).toEqual({ 'status 503': 10 });
    expect(result.fleet.repeats).toBeGreaterThan(10);
  });

  it('that cannot be written can still be read', async () => {
    const result = await runText(without('writes'));
    expect(broken(result)).toEqual(FINE);
    expect(result.calls['count-devices']).toMatchObject({ answered: 30, failed: 0 });
  });
});

it('a scenario with a fault of the service is rejected for another cloud', async () => {
  const cloud = {
    ...{ api: 'http://127.0.0.1:1', apiKey: 'key', spaceId: null, keyOf: String, gateway: null },
    pace: { perSecond: null, atOnce: 1 },
  };
  const text =
    'name: far\nduration: 1h\nfleet: [{ name: clime, profile: clime, count: 1 }]\nfaults: [{ service-restart: }]\n';
  await expect(runText(text, { clock: 'real', cloud })).rejects.toThrow('service-restart requires the embedded cloud');
});

describe('a world that does not come to rest', () => {
  it.each([
    ['outage: both', /clime-0001 with an exchange \(report\).*; still in force: outage$/],
    ['loss: 100%', /clime-0001 with an exchange.*; still in force: loss$/],
    ['no-signal:, to: clime/1', /clime-0001 with an exchange.*; still in force: no-signal \(clime\/1\)$/],
    ['signal: { rsrp: -140 }', /clime-0001 with an exchange.*; still in force: signal$/],
    ['modem-failure: mute', /clime-0001 with an exchange.*; still in force: modem-failure$/],
    ['store-unavailable:', /clime-0001 with an exchange.*; still in force: store-unavailable$/],
    ['store-unavailable: writes', /clime-0001 with an exchange.*; still in force: store-unavailable$/],
    ['service-down:', /clime-0001 with an exchange.*; still in force: service-down$/],
    ['service-restart:', /clime-0001 with an exchange.*; still in force: service-restart$/],
    ['api-delay: 1h', /the step "commands: info show", the load "count-devices" with 20 requests; .*: api-delay$/],
  ])(
    'because of %s fails the run with a message that names the fault and the waiting work',
    async (fault, sentence) => {
      const result = await runText(`
name: stuck
duration: 30m
settle: 1m
fleet: [{ name: clime, profile: control, count: 2 }]
faults: [{ ${fault}, from: 10m }]
load: [{ count-devices:, rate: 1/m }]
steps: [{ at: 20m, to: clime/2, commands: [info show] }]
`);
      expect(result).toMatchObject({ passed: false, exitCode: EXIT.stuck });
      expect(result.failure).toMatch(/^not at rest 1m after the end: /);
      expect(result.failure).toMatch(sentence);
    },
  );

  it('counts a step as failed for the devices that it did not reach', async () => {
    const { steps } = await runText(`
name: stuck
duration: 30m
settle: 1m
fleet: [{ name: clime, profile: control, count: 3 }]
faults: [{ api-delay: 9m, from: 10m }]
steps: [{ at: 20m, commands: [info show] }]
`);
    expect(steps).toMatchObject({ done: 1, failed: 2 });
  });

  it('does not name past faults, or the permanent network conditions', async () => {
    const result = await runText(`
name: stuck
duration: 30m
settle: 1m
fleet: [{ name: clime, profile: control, count: 2 }]
network: { latency: 150ms..900ms }
faults: [{ brown-out:, from: 10m, until: 12m }, { no-signal:, to: clime/1 }]
`);
    expect(result.failure).toMatch(/clime-0001 with its session; still in force: no-signal \(clime\/1\)$/);
  });
});
