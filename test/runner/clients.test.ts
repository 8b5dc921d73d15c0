/**
 * Loads of several clients, each with its own API key, in the space of the fleet or in another one; and rate limits, which
 * count for each key separately.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { DeviceCloudClient } from '../../src/client/client.js';
import { type Service, startService } from '../../src/cloud/service.js';
import { UsageError } from '../../src/kernel/errors.js';
import { seededRandom } from '../../src/kernel/random.js';
import { RealClock } from '../../src/kernel/real-clock.js';
import { runPlan } from '../../src/library/scenario.js';
import { QUIET } from '../support/cloud.js';
import { unhurried } from '../support/unhurried.js';
import { planOf } from './run-text.js';

describe('a rate limit of the embedded cloud', () => {
  it('also applies to the run itself: a step that exceeds it fails', async () => {
    const result = await runPlan(
      planOf(`
name: limited
duration: 2m
cloud: { rate-limit: 3/m }
fleet: [{ name: clime, profile: clime, count: 5 }]
steps: [{ at: 10s, commands: [info show] }]
`),
    );
    expect(result.steps).toEqual({ done: 3, failed: 2 });
    expect(result.anomalies).toContainEqual(
      expect.objectContaining({
        name: 'step-failed',
        about: expect.stringContaining('more than 3 requests per minute; retry later'),
      }),
    );
  });
});

describe('the downlinks of the embedded cloud', () => {
  it('expire as the scenario defines', async () => {
    const result = await runPlan(
      planOf(`
name: impatient
duration: 4h
cloud: { expire-downlinks: 1h }
fleet: [{ name: clime, profile: clime, count: 1 }]
steps:
  - { at: 10m, radio: off }
  - { at: 11m, commands: [info show] }
expect: [downlink.expired == 1]
`),
    );
    expect(result.expectations).toMatchObject([{ passed: true }]);
  });
});

const VISIT = `
name: visit
duration: 1m
setup:
  - client: { name: dashboard }
  - client: { name: neighbour, space: next-door }
  - client: { name: lodger, space: next-door }
fleet: [{ name: clime, profile: clime, count: 2 }]
load:
  - { list-devices:, rate: 30/m, as: dashboard }
  - { list-devices:, rate: 30/m, as: neighbour }
  - { count-devices:, rate: 30/m, as: lodger }
expect:
  - call.answered == 90
  - call.answered of client/neighbour == 30
`;
const services: Service[] = [];
const clients: DeviceCloudClient[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  for (const service of services.splice(0)) await service.close();
});

/** A cloud in real time with two spaces. */
async function theirCloud() {
  const service = await startService({
    ...{ db: 'memory', host: '127.0.0.1', port: 0, udpPort: 0, udpRawPort: null, space: 'ours' },
    ...{ clock: new RealClock(), random: seededRandom(1), trace: { emit: () => {} }, log: QUIET },
  });
  services.push(service);
  const { api: baseUrl, spaceId } = service;
  const apiKey = String(service.apiKey);
  const theirs = await service.openSpace('theirs');
  const theirKey = String(theirs.apiKey);
  const api = [
    new DeviceCloudClient({ baseUrl, apiKey, spaceId }),
    new DeviceCloudClient({ baseUrl, apiKey: theirKey, spaceId: theirs.spaceId }),
  ];
  clients.push(...api);
  const visit = (keyOf: (space: string) => string) => {
    const gateway = { host: '127.0.0.1', port: Number(service.udp) };
    const cloud = { api: baseUrl, apiKey, spaceId: null, keyOf, gateway, pace: { atOnce: 4, perSecond: null } };
    return runPlan(planOf(VISIT), { clock: 'real', speed: 60, meter: unhurried, cloud });
  };
  const keys = () => Promise.all(api.map(async (client) => (await client.keys()).map(({ name }) => name)));
  return { visit, keys, apiKey, theirKey };
}

describe('clients at another cloud', () => {
  it('use keys that the run creates in their spaces, and deletes afterwards', async () => {
    const { visit, keys, theirKey } = await theirCloud();
    const asked: string[] = [];
    const before = await keys();
    const { expectations } = await visit((space) => {
      asked.push(space);
      return theirKey;
    });
    expect(expectations.filter(({ passed }) => !passed)).toEqual([]);
    expect(asked).toEqual(['next-door']);
    expect(await keys()).toEqual(before);
  });

  it('are rejected in a space without a key, or if their space is that of the fleet, and leave nothing behind', async () => {
    const { visit, keys, apiKey } = await theirCloud();
    const before = await keys();
    const nothing = () => {
      throw new UsageError('no-space-key', 'the key is missing');
    };
    await expect(visit(nothing)).rejects.toThrow('the key is missing');
    await expect(visit(() => apiKey)).rejects.toThrow('the key for the space "next-door" opens the space of the fleet');
    expect(await keys()).toEqual(before);
  });
});
