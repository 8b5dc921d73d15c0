/** What compare.test.ts and compare.long.test.ts share. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ghostfleet } from '../support/host.js';

export const directory = mkdtempSync(join(tmpdir(), 'ghostfleet-compare-'));

export const scenario = join(directory, 'small.yaml');
export const [one, two] = [join(directory, 'one'), join(directory, 'two')];

/** Makes the runs that the tests compare. */
export async function makeRuns(): Promise<void> {
  writeFileSync(
    scenario,
    'name: small\nduration: 40m\nfleet: [{ name: clime, profile: clime, count: 12 }]\nsteps: [{ at: 5m, commands: [info show] }]\n',
  );
  await ghostfleet(['run', scenario, '--seed', '1', '--out', one]);
  await ghostfleet(['run', scenario, '--seed', '2', '--out', two]);
}
