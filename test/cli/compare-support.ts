/** What compare.test.ts and compare.long.test.ts share. */
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
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

/** Makes four runs of a scenario with delayed downlinks, in a folder. */
export function runLossy(out: string, seed: number) {
  const lossy = join(directory, 'lossy.yaml');
  writeFileSync(
    lossy,
    'name: lossy\nduration: 20m\nfleet: [{ name: clime, profile: clime, count: 8, config: { interval-report: 60 } }]\nsteps: [{ at: 5m, over: 10m, commands: [info show] }]\n',
  );
  return ghostfleet(['run', lossy, '--seeds', '4', '--seed', String(seed), '--out', out]);
}

/** Makes all delivery times longer in the files of several runs, as a slower cloud would. */
export function slowDown(folder: string, factor: number): void {
  for (const name of readdirSync(folder).filter((each) => each.startsWith('seed-'))) {
    const path = join(folder, name, 'summary.json');
    const summary = JSON.parse(readFileSync(path, 'utf8'));
    for (const metric of ['downlink.delivered', 'downlink.answered']) {
      const durations = summary.samples.durations[metric];
      durations.max *= factor;
      durations.batches = durations.batches.map((batch: readonly number[]) =>
        batch.map((item, i) => (i % 2 === 0 ? Math.round(item * factor) : item)),
      );
    }
    writeFileSync(path, JSON.stringify(summary));
  }
}
