/** What explain.test.ts and explain.long.test.ts share. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { ghostfleet } from '../support/host.js';

export const directory = mkdtempSync(join(tmpdir(), 'ghostfleet-explain-'));
export const run = join(directory, 'run');

/**
 * Makes the run that the tests of a file explain, and removes it afterwards. Returns a function that explains all its downlinks
 * as JSON, once.
 */
export function useRun() {
  beforeAll(makeRun);
  afterAll(() => rmSync(directory, { recursive: true }));

  let all: Promise<readonly { readonly downlink: string }[]> | undefined;
  return () =>
    (all ??= ghostfleet(['explain', run, '--slowest', '9', '--json']).then(({ out }) => JSON.parse(out).downlinks));
}

async function makeRun(): Promise<void> {
  // The other file removed the folder if it ran before this one in the same process.
  mkdirSync(directory, { recursive: true });
  const scenario = join(directory, 'small.yaml');
  writeFileSync(
    scenario,
    `
name: small
duration: 4h
fleet: [{ name: clime, profile: clime, count: 3, config: { interval-report: 300 }, boot: { from: 5m } }]
faults: [{ outage: both, from: 66m, until: 2h, to: clime/1 }]
steps:
  - { at: 65m, commands: [info show] }
  # Before the device says that it has no encoder.
  - { at: 1m, to: clime/2, downlink: { output_1_state: 1 }, unknown: true }
  - { at: 3h, to: clime/3, config: { interval-sample: 120 } }
  - { at: 3h, to: clime/3, cancel: all }
`,
  );
  await ghostfleet(['run', scenario, '--out', run]);
}
