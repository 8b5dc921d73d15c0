/** `run --keep`: a run against another cloud lists the resources that it created and does not delete. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startService } from '../../src/cloud/service.js';
import { seededRandom } from '../../src/kernel/random.js';
import { RealClock } from '../../src/kernel/real-clock.js';
import { QUIET } from '../support/cloud.js';
import { ghostfleet } from '../support/host.js';

it('run --keep lists the resources that it keeps in the cloud', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ghostfleet-keep-'));
  const service = await startService({
    ...{ db: 'memory', host: '127.0.0.1', port: 0, udpPort: null, udpRawPort: null, apiKey: 'our-own-key', log: QUIET },
    ...{ clock: new RealClock(), random: seededRandom('service'), trace: { emit: () => {} } },
  });
  try {
    const file = join(folder, 'kept.yaml');
    const fleet = '{ name: clime, profile: clime, count: 2 }';
    writeFileSync(file, `name: kept\nduration: 1s\nfleet: [${fleet}]\nsetup: [{ tag: { name: cold } }]\n`);
    const where = ['--target', service.api, '--api-key', 'our-own-key', '--link', 'http'];
    const { err } = await ghostfleet(['run', file, ...where, '--speed', '60', '--keep']);
    expect(err).toContain('kept in the cloud: 3 things\n  tag "cold"\n  device "clime-0001"\n  device "clime-0002"\n');
  } finally {
    await service.close();
    rmSync(folder, { recursive: true });
  }
});
