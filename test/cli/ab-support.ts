/** What ab.test.ts and ab.long.test.ts share. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type Service, startService } from '../../src/cloud/service.js';
import { seededRandom } from '../../src/kernel/random.js';
import { RealClock } from '../../src/kernel/real-clock.js';
import { QUIET } from '../support/cloud.js';
import { ghostfleet, type HostOptions } from '../support/host.js';

export const folder = mkdtempSync(join(tmpdir(), 'ghostfleet-ab-'));
export const file = join(folder, 'short.yaml');
const SHORT =
  'name: short\nduration: 2s\nfleet: [{ name: clime, profile: clime, count: 1, config: { mode: none } }]\nload: [{ latest-value:, rate: 10/s }]\n';

export const KEYS = { GHOSTFLEET_A_API_KEY: 'key-of-the-old-one', GHOSTFLEET_API_KEY: 'key-of-the-new-one' };

export async function cloud(apiKey: string): Promise<Service> {
  return startService({
    ...{ db: 'memory', host: '127.0.0.1', port: 0, udpPort: null, udpRawPort: null, apiKey, log: QUIET },
    ...{ clock: new RealClock(), random: seededRandom(apiKey), trace: { emit: () => {} } },
  });
}

/** Gives the tests of a file the scenario and two clouds, A and B, and removes them afterwards. */
export function useClouds() {
  let [a, b] = ['', ''];
  let clouds: readonly Service[] = [];

  beforeAll(async () => {
    // The other file removed the folder if it ran before this one in the same process.
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, SHORT);
    clouds = [await cloud(KEYS.GHOSTFLEET_A_API_KEY), await cloud(KEYS.GHOSTFLEET_API_KEY)];
    [a = '', b = ''] = clouds.map(({ api }) => api);
  });

  afterAll(async () => {
    for (const each of clouds) await each.close();
    rmSync(folder, { recursive: true });
  });

  const where = () => ['--a', a, '--b', b, '--link', 'http', '--speed', '20'];

  const ab = (more: readonly string[], options: HostOptions = {}) =>
    ghostfleet(['ab', file, ...where(), ...more], { env: KEYS, ...options });

  return { apis: () => [a, b] as const, where, ab };
}
