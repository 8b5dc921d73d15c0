/** A cloud of which only the public API and the gateway are used, and runs against it. */
import { afterEach } from 'vitest';
import { DeviceCloudClient } from '../../../src/client/client.js';
import { type Service, startService } from '../../../src/cloud/service.js';
import { seededRandom } from '../../../src/kernel/random.js';
import { RealClock } from '../../../src/kernel/real-clock.js';
import { runPlan } from '../../../src/library/scenario.js';
import type { RunOptions } from '../../../src/runner/run.js';
import type { TargetCloud } from '../../../src/runner/targets/remote-api.js';
import { QUIET } from '../../support/cloud.js';
import { unhurried } from '../../support/unhurried.js';
import { planOf } from '../run-text.js';

export const SCENARIO = `
name: elsewhere
duration: 4m
settle: 30m
fleet:
  - { name: clime, profile: clime, count: 2, tags: [visitor], config: { interval-report: 60 } }
  - { name: control, profile: control, count: 1, config: { interval-report: 60 } }
network: { latency: 1s..2s }
steps:
  - { at: 90s, commands: [info serial-number] }
  - { at: 90s, to: clime/1, config: { interval-report: 120 } }
  - { at: 90s, to: control, downlink: { output_1_state: 1 } }
expect:
  - device.ready == 3
  - uplink.stored == uplink.sent
  - downlink.queued == 5
  - downlink.delivered == downlink.queued
  - downlink.answered == 4
`;

interface Ports {
  readonly udpRawPort?: number;
  readonly udpDtlsPort?: number;
}

/** A function that starts the cloud of a test, which is closed after the test. Call this once, outside of tests. */
export function theirClouds(): (ports?: Ports) => Promise<Service> {
  let service: Service | undefined;
  afterEach(async () => {
    await service?.close();
    service = undefined;
  });
  return async (ports = {}) => {
    service = await startService({
      db: 'memory',
      host: '127.0.0.1',
      port: 0,
      udpPort: 0,
      udpRawPort: null,
      ...ports,
      space: 'theirs',
      clock: new RealClock(),
      random: seededRandom(1),
      trace: { emit: () => {} },
      log: QUIET,
    });
    return service;
  };
}

export function cloudAt({ api, apiKey, udp, udpRaw, udpDtls }: Service, link: 'udp' | 'http'): TargetCloud {
  return {
    api,
    apiKey: String(apiKey),
    spaceId: null,
    keyOf: String,
    gateway:
      link === 'udp'
        ? {
            ...{ host: '127.0.0.1', port: Number(udp) },
            ...(udpRaw !== null && { rawPort: udpRaw }),
            ...(udpDtls !== null && { dtlsPort: udpDtls }),
          }
        : null,
    pace: { atOnce: 4, perSecond: null },
  };
}

/** Runs the scenario at 60 times real time, because a device needs minutes to become ready and to report. */
export function visit(cloud: TargetCloud, options: Partial<Omit<RunOptions, 'secretsKey'>> = {}, scenario = SCENARIO) {
  return runPlan(planOf(scenario, 7), { clock: 'real', speed: 60, meter: unhurried, cloud, ...options });
}

export async function whatIsLeft({ api, apiKey, spaceId }: Service) {
  const client = new DeviceCloudClient({ baseUrl: api, apiKey: String(apiKey), spaceId });
  const [devices, tags] = [await client.devices(), await client.tags()];
  await client.close();
  return { devices: devices.map(({ name }) => name), tags: tags.map(({ name }) => name) };
}
