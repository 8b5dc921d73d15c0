/** Runs with faults: their effects, the recovery of devices and service, and runs that do not come to rest. */
import { describe, expect, it } from 'vitest';
import { broken, expectStuck, FINE, restarted, slow, without } from './faulty.js';
import { runText } from './run-text.js';

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
  it('loses its memory, but no acknowledged message', async () => {
    const result = await restarted();
    expect(broken(result)).toEqual(FINE);
    expect(result.calls['count-devices']?.reasons).toEqual({ 'no answer: ECONNREFUSED, connection refused': 10 });
    expect(result.fleet.restarts).toBeGreaterThan(0);
  });
});

describe('an API that is slow', () => {
  it('delays requests in virtual time', async () => {
    const result = await slow();
    expect(broken(result)).toEqual(FINE);
    expect(result.calls['count-devices']?.latency).toMatchObject({ count: 20, p50: 2000, max: 2000 });
    expect(result.calls['count-devices']?.service).toMatchObject({ p50: 2000, max: 2000 });
    // The requests of a step are sent one after another, in the order of the devices.
    const queued = result.downlinks.slowest.map(({ queuedAt }) => queuedAt - 26 * 60_000).sort((a, b) => a - b);
    expect(queued).toEqual([3000, 6000, 9000]);
  });
});

describe('a store', () => {
  it('that cannot be used is neither read nor written: requests get 503, devices repeat, and nothing is lost', async () => {
    const result = await runText(without(''));
    expect(broken(result)).toEqual(FINE);
    expect(result.calls['count-devices']?.reasons).toEqual({ 'status 503': 10 });
    expect(result.fleet.repeats).toBeGreaterThan(10);
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
    ['api-delay: 1h', /the step "commands: info show", the load "count-devices" with 20 requests; .*: api-delay$/],
  ])('because of %s fails the run with a message that names the fault and the waiting work', expectStuck);

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
