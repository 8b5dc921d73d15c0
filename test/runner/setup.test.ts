/** Resources that a scenario sets up in its space, and updates to the firmware images among these resources. */
import { afterEach, describe, expect, it } from 'vitest';
import { DeviceCloudClient } from '../../src/client/client.js';
import { type Service, startService } from '../../src/cloud/service.js';
import { InterruptedError, UsageError } from '../../src/kernel/errors.js';
import { seededRandom } from '../../src/kernel/random.js';
import { RealClock } from '../../src/kernel/real-clock.js';
import { runPlan } from '../../src/library/scenario.js';
import type { RunOptions } from '../../src/runner/run.js';
import { QUIET } from '../support/cloud.js';
import { unhurried } from '../support/unhurried.js';
import { planOf } from './run-text.js';

const SCRIPT = 'function main(job) { return null }';

const SETUP = `
name: visit
duration: 5s
fleet: [{ name: clime, profile: clime, count: 1, tags: [visitor] }]
setup:
  - tag: { name: here-before }
  - tag: { name: cold, color: "#123" }
  - variable: { name: threshold, value: 8 }
  - connector: { name: forward, tags: [cold, new], script: "${SCRIPT}" }
  - firmware: { name: v2, profile: clime, version: v9.0.0 }
  - request: { post: /keys, body: { name: dash } }
`;

let service: Service | undefined;
let client: DeviceCloudClient | undefined;

afterEach(async () => {
  await client?.close();
  await service?.close();
  [client, service] = [undefined, undefined];
});

/** A cloud in real time with a tag in its space. */
async function theirCloud() {
  const started = await startService({
    ...{ db: 'memory', host: '127.0.0.1', port: 0, udpPort: 0, udpRawPort: null, space: 'theirs' },
    ...{ clock: new RealClock(), random: seededRandom(1), trace: { emit: () => {} }, log: QUIET },
  });
  service = started;
  const { api: baseUrl, spaceId } = started;
  const apiKey = String(started.apiKey);
  const api = new DeviceCloudClient({ baseUrl, apiKey, spaceId });
  client = api;
  await api.createTag({ name: 'here-before', color: '#ffffff' });
  const visit = (source = SETUP, options: Partial<Omit<RunOptions, 'secretsKey'>> = {}, keyOf = String) => {
    const gateway = { host: '127.0.0.1', port: Number(started.udp) };
    const cloud = { api: baseUrl, apiKey, spaceId: null, keyOf, gateway, pace: { atOnce: 4, perSecond: null } };
    return runPlan(planOf(source), { clock: 'real', speed: 60, meter: unhurried, cloud, ...options });
  };
  const there = async () => ({
    tags: (await api.tags()).map(({ name }) => name),
    variables: (await api.variables()).map(({ name, value }) => `${name} = ${value}`),
    connectors: (await api.connectors()).map(({ name, tags }) => `${name} ${tags.map((tag) => tag.name).sort()}`),
    keys: (await api.keys()).map(({ name }) => name),
    devices: (await api.devices()).map(({ name }) => name),
  });
  return { api, visit, there };
}

describe('a resource that a scenario sets up in another cloud', () => {
  it('exists during the run and is deleted afterwards; existing resources stay', async () => {
    const { visit, there } = await theirCloud();
    const before = await there();
    let during: unknown;
    await visit(SETUP, {
      started: ({ clock }) => {
        clock.after(1, 'a look', () => {
          const release = clock.hold('a look');
          void there()
            .then((found) => {
              during = found;
            })
            .finally(release);
        });
      },
    });
    expect(during).toEqual({
      tags: ['here-before', 'cold', 'new', 'visitor'],
      variables: ['threshold = 8'],
      connectors: ['forward cold,new'],
      keys: [...before.keys, 'dash'],
      devices: ['clime-0001'],
    });
    expect(await there()).toEqual(before);
  });

  it('stays with the option to keep it, and is reported', async () => {
    const { visit, there } = await theirCloud();
    const kept: string[] = [];
    await visit(SETUP, { keep: (what) => kept.push(...what) });
    expect(kept).toEqual([
      ...['tag "cold"', 'variable "threshold"', 'tag "new"', 'connector "forward"', 'firmware "v2"'],
      ...['what POST /keys made (dash)', 'tag "visitor"', 'device "clime-0001"'],
    ]);
    expect(await there()).toMatchObject({ variables: ['threshold = 8'], devices: ['clime-0001'] });
  });

  it('is deleted even if the run is interrupted before its beginning', async () => {
    const { visit, there } = await theirCloud();
    const before = await there();
    await visit(SETUP, { started: ({ stop }) => stop(new InterruptedError('SIGINT')) });
    expect(await there()).toEqual(before);
  });

  it('is rejected with its name if the space already has it, and resources created before it are deleted', async () => {
    const { api, visit, there } = await theirCloud();
    await api.createVariable({ name: 'threshold', value: '5' });
    const before = await there();
    const failure = await visit().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(UsageError);
    expect(String(failure)).toMatch(/setup 3, variable "threshold" = "8", failed: POST .*409/);
    expect(await there()).toEqual(before);
  });
});

describe('a firmware update', () => {
  it('in another cloud is followed through its API', async () => {
    const { visit } = await theirCloud();
    const result = await visit(
      `
name: roll-out
duration: 7m
settle: 1h
fleet: [{ name: clime, profile: clime, count: 1, config: { interval-report: 60 } }]
setup: [{ firmware: { name: v2, profile: clime, version: v9.0.0, size: 5000 } }]
steps: [{ at: 2m, firmware: v2 }]
expect: [update.scheduled == 1, update.succeeded == 1]
`,
      { speed: 120 },
    );
    expect(result.expectations.filter(({ passed }) => !passed)).toEqual([]);
  });
});
