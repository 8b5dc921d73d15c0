/** What api.test.ts and api.long.test.ts share. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll } from 'vitest';
import { type Service, startService } from '../../src/cloud/service.js';
import { seededRandom } from '../../src/kernel/random.js';
import { RealClock } from '../../src/kernel/real-clock.js';
import { QUIET } from '../support/cloud.js';

export const GUIDE = readFileSync('docs/API.md', 'utf8');
export const KEY = 'a-key-for-the-examples';

/** Gives the tests of a file one service with every option that adds routes. */
export function useService(): () => Service {
  let service: Service;

  beforeAll(async () => {
    service = await startService({
      db: 'memory',
      host: '127.0.0.1',
      port: 0,
      udpPort: null,
      udpRawPort: null,
      apiKey: KEY,
      clock: new RealClock(),
      random: seededRandom('docs'),
      trace: { emit: () => {} },
      log: QUIET,
      operated: true,
      apiOptions: { legacyPaths: true },
    });
  });
  afterAll(() => service?.close());

  return () => service;
}
