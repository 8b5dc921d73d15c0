/** What diverge-shrink.test.ts and diverge-shrink.long.test.ts share. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { ghostfleet } from '../support/host.js';

export const directory = mkdtempSync(join(tmpdir(), 'ghostfleet-shrink-'));

export function file(name: string, text: string): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}

export const PLANTED = `# A device that is out of reach when its downlink comes.
name: planted
duration: 10m
fleet:
  - { name: clime, profile: clime, count: 2, config: { interval-report: 60 } }
  # These devices poll.
  - { name: control, profile: control, count: 3, config: { interval-report: 60 } }
network:
  faults:
    - { outage: both, from: 4m, to: control }
steps:
  - { at: 3m, to: clime, commands: [info show] }
  # Never arrives.
  - { at: 5m, to: control/3, downlink: { output_1_state: 1 } }
expect:
  - always no-loss-across-reconnects
  - always downlinks-settled
`;
export const planted = file('planted.yaml', PLANTED);
export const out = join(directory, 'small.yaml');

/** Reduces a scenario, and returns what the program prints and writes. */
export async function reduced(workers: string, scenario = planted) {
  const { exit, ...printed } = await ghostfleet([
    ...['shrink', scenario, '--out', out, '--budget', '1d', '--workers', workers],
  ]);
  expect(exit).toBe(0);
  return { ...printed, text: readFileSync(out, 'utf8') };
}

export const hopeless = (count: number) => `name: hopeless
duration: 10s
fleet: [{ name: aa, profile: clime, count: ${count} }]
expect: [fleet.devices > 5]
`;
