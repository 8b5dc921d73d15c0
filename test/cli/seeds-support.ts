/** What seeds.test.ts and seeds.long.test.ts share. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

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
