/** What record.test.ts and record.long.test.ts share. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { type Service, type ServiceOptions, startService } from '../../src/cloud/service.js';
import { seededRandom } from '../../src/kernel/random.js';
import { RealClock } from '../../src/kernel/real-clock.js';
import { QUIET } from '../support/cloud.js';

export const KEY = 'a-key-of-our-own-choice';

/** Gives each test of a file a folder of its own, and closes the service that the test has started. */
export function useService() {
  let folder = '';
  let service: Service | undefined;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ghostfleet-record-'));
  });

  afterEach(async () => {
    await service?.close();
    service = undefined;
    rmSync(folder, { recursive: true, force: true });
  });

  async function serve(options: Partial<ServiceOptions> = {}): Promise<Service> {
    service = await startService({
      ...{ db: 'memory', host: '127.0.0.1', port: 0, udpPort: 0, udpRawPort: null, apiKey: KEY, log: QUIET },
      ...{ clock: new RealClock(), random: seededRandom('service'), trace: { emit: () => {} } },
      ...options,
    });
    return service;
  }

  return { serve, path: (name: string) => join(folder, name) };
}
