/** What ab.test.ts and ab.long.test.ts share. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Service, startService } from '../../src/cloud/service.js';
import { seededRandom } from '../../src/kernel/random.js';
import { RealClock } from '../../src/kernel/real-clock.js';
import { QUIET } from '../support/cloud.js';

export const folder = mkdtempSync(join(tmpdir(), 'ghostfleet-ab-'));
export const file = join(folder, 'short.yaml');
writeFileSync(
  file,
  'name: short\nduration: 2s\nfleet: [{ name: clime, profile: clime, count: 1, config: { mode: none } }]\nload: [{ latest-value:, rate: 10/s }]\n',
);

export const KEYS = { GHOSTFLEET_A_API_KEY: 'key-of-the-old-one', GHOSTFLEET_API_KEY: 'key-of-the-new-one' };

export async function cloud(apiKey: string): Promise<Service> {
  return startService({
    ...{ db: 'memory', host: '127.0.0.1', port: 0, udpPort: null, udpRawPort: null, apiKey, log: QUIET },
    ...{ clock: new RealClock(), random: seededRandom(apiKey), trace: { emit: () => {} } },
  });
}
