/** What otlp.test.ts and otlp.long.test.ts share. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Collector } from '../support/collector.js';
import { ghostfleet } from '../support/host.js';

export const directory = mkdtempSync(join(tmpdir(), 'gf-'));
export const scenario = join(directory, 'short.yaml');
writeFileSync(
  scenario,
  `name: short
duration: 70m
fleet:
  - { name: cellar, profile: clime, count: 2, region: north }
  - { name: roof, profile: clime, count: 3, region: south }
  - { name: yard, profile: meteo, count: 1 }
network: { loss: 2% }
steps:
  - { at: 10m, commands: [info show] }
  - { at: 20m, to: cellar, config: { interval-report: 900 } }
  - { at: 69m, to: roof, commands: [info show] }
`,
);

export const tiny = join(directory, 'tiny.yaml');
writeFileSync(
  tiny,
  `name: tiny
duration: 5m
fleet: [{ name: clime, profile: clime, count: 1 }]
steps: [{ at: 1m, commands: [info show] }]
`,
);

/** The note of a run in virtual time. */
export const SIMULATED = 'traces have simulated times, from 2026-01-01T00:00:00.000Z on\n';

export const closing: Collector[] = [];

export const run = (file: string, url: string, more: readonly string[] = [], env = {}) =>
  ghostfleet(['run', file, '--seed', '7', '--json', '--otlp', url, ...more], { env });
