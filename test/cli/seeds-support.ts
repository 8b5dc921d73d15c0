/** What seeds.test.ts and seeds.long.test.ts share. */
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { ghostfleet } from '../support/host.js';

export const directory = mkdtempSync(join(tmpdir(), 'ghostfleet-seeds-'));

export const file = join(directory, 'lossy.yaml');
writeFileSync(
  file,
  `name: lossy
duration: 1h
fleet: [{ name: clime, profile: clime, count: 2, config: { interval-report: 600 } }]
network: { loss: 20% }
steps: [{ at: 10m, commands: [info show] }]
expect:
  - device.ready == fleet.devices
  - downlink.answered p(50) < 5s
`,
);

/** The path of a scenario with these expectations. */
export function passing(expect: readonly string[]): string {
  const path = join(directory, 'passing.yaml');
  const fleet = 'fleet: [{ name: clime, profile: clime, count: 1 }]';
  writeFileSync(path, `name: passing\nduration: 5m\n${fleet}\nexpect: ${JSON.stringify(expect)}\n`);
  return path;
}

/** Expects that runs fail if a file of their scenario is edited and saved between them. */
export async function expectSavedNoticed(name: string, edit: (text: string) => string): Promise<void> {
  const folder = mkdtempSync(join(directory, 'edited-'));
  mkdirSync(join(folder, 'profiles'));
  writeFileSync(join(folder, 'profiles/own.yaml'), readFileSync('profiles/push.yaml', 'utf8'));
  writeFileSync(join(folder, 'groups.yaml'), 'fleet: [{ name: more, profile: own, count: 2 }]\n');
  const scenario = join(folder, 'edited.yaml');
  const text = `name: edited\nduration: 1m\ninclude: [groups.yaml]\nfleet: [{ name: clime, profile: clime, count: 2 }]\n`;
  writeFileSync(scenario, text);
  const path = join(folder, name);
  let started = 0;
  const { exit, out, err } = await ghostfleet(['run', scenario, '--seeds', '3', '--workers', '1'], {
    started: () => {
      if (++started === 2) writeFileSync(path, edit(readFileSync(path, 'utf8')));
    },
  });
  expect([exit, out, started]).toEqual([2, '', 2]);
  expect(err).toContain('the scenario was changed while its runs were made: the run with seed 2 is of another one\n');
}
