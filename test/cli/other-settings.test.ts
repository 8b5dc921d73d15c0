/** Settings of a scenario for the embedded cloud, in a run against another cloud. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Service, startService } from '../../src/cloud/service.js';
import { seededRandom } from '../../src/kernel/random.js';
import { RealClock } from '../../src/kernel/real-clock.js';
import { QUIET } from '../support/cloud.js';
import { ghostfleet } from '../support/host.js';

let folder: string;
let service: Service;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ghostfleet-settings-'));
  service = await startService({
    ...{ db: 'memory', host: '127.0.0.1', port: 0, udpPort: null, udpRawPort: null, apiKey: 'our-own-key', log: QUIET },
    ...{ clock: new RealClock(), random: seededRandom('service'), trace: { emit: () => {} } },
  });
});
afterEach(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

function runOf(scenario: string, env: Readonly<Record<string, string>> = {}) {
  const file = join(folder, 'visit.yaml');
  writeFileSync(file, `name: visit\nduration: 1s\nfleet: [{ name: clime, profile: clime, count: 1 }]\n${scenario}`);
  const where = ['--target', service.api, '--link', 'http', '--speed', '60'];
  return ghostfleet(['run', file, ...where], { env: { GHOSTFLEET_API_KEY: 'our-own-key', ...env } });
}

describe('run --target', () => {
  it('warns that another cloud ignores the settings of the scenario', async () => {
    const { exit, err } = await runOf('cloud: { rate-limit: 600/m, expire-downlinks: 7d }\n');
    expect(err).toContain(
      `warning: ${service.api} ignores the cloud settings of the scenario: rate-limit 600/m, expire-downlinks 7d\n`,
    );
    expect(exit).toBe(0);
  });

  it('reads the key of a further space from the environment, and names the variable if it is missing', async () => {
    const setup = 'setup: [{ client: { name: neighbour, space: next-door } }]\n';
    const { exit, err } = await runOf(setup);
    expect(exit).toBe(2);
    expect(err).toContain('no API key for the space "next-door"');
    expect(err).toContain('set GHOSTFLEET_API_KEY_NEXT_DOOR');
    const { apiKey } = await service.openSpace('theirs');
    expect(await runOf(setup, { GHOSTFLEET_API_KEY_NEXT_DOOR: String(apiKey) })).toMatchObject({ exit: 0 });
  });
});
