/** What what-if.test.ts and what-if.long.test.ts share. */
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { ghostfleet } from '../support/host.js';

export const folder = mkdtempSync(join(tmpdir(), 'ghostfleet-what-if-'));
export const [scenario, run] = [join(folder, 'small.yaml'), join(folder, 'run')];
export const SMALL = `
name: small
duration: 2h
fleet: [{ name: clime, profile: clime, count: 2, config: { interval-report: 300 } }]
faults:
  - { outage: both, from: 66m, until: 95m, to: clime/1 }
  - { no-signal: , from: 66m, until: 70m, to: clime/2 }
steps:
  - { at: 65m, commands: [info show] }
  - { at: 100m, to: clime/2, radio: off }
expect: [downlink.answered p(95) < 10m, downlink.answered == 2]
`;

/** Its p(95) lies below the maximum, and is longer than the times that a histogram keeps exactly. */
export const MANY = `
name: many
duration: 3h
fleet: [{ name: clime, profile: clime, count: 20 }]
faults: [{ outage: both, from: 1h, until: 65m }]
steps: [{ at: 1h, to: clime, commands: [info show] }]
expect: [downlink.answered p(95) < 1m]
`;

export async function answer(...args: readonly string[]) {
  const { exit, out, err } = await ghostfleet(['what-if', ...args, '--json']);
  expect([exit, err]).toEqual([0, '']);
  return JSON.parse(out);
}

/** A copy of the run whose summary another author has changed. */
export function folderOf(change: (summary: Summary) => object): string {
  const copy = mkdtempSync(join(folder, 'changed-'));
  cpSync(run, copy, { recursive: true });
  const path = join(copy, 'summary.json');
  const summary = JSON.parse(readFileSync(path, 'utf8'));
  writeFileSync(path, JSON.stringify({ ...summary, ...change(summary) }));
  return copy;
}

export interface Summary {
  readonly source: object;
  readonly planned: { readonly fleet: readonly object[]; readonly faults: readonly object[] };
}

/** What both commands say about a folder, in one line. */
export async function saidAbout(path: string, ...more: readonly string[]) {
  const whatIf = await ghostfleet(['what-if', path, '--without', 'outage', ...more]);
  const explained = await ghostfleet(['explain', path, '--slowest', '1', ...more]);
  expect([whatIf.exit, explained.exit].filter((exit) => exit !== 0 && exit !== 2)).toEqual([]);
  const text = [whatIf, explained].map(({ out, err }) => (out + err).replace(/\s+/g, ' '));
  return { whatIf: text[0] ?? '', explained: text[1] ?? '' };
}

/** Makes the run that the tests change. */
export async function makeRun(): Promise<void> {
  writeFileSync(scenario, SMALL);
  await ghostfleet(['run', scenario, '--out', run]);
}
