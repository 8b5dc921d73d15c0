/** What capacity.test.ts and capacity.long.test.ts share. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CapacityResult } from '../../src/report/capacity/result.js';
import { ghostfleet } from '../support/host.js';

export const folder = mkdtempSync(join(tmpdir(), 'ghostfleet-capacity-'));

/** At most 12 requests a minute, so the limit is 0.2/s. */
export const LIMITED = `name: limited
duration: 1m
vars: { period: 900, word: hello, rate: 2/s }
cloud: { rate-limit: 12/m }
fleet:
  - { name: cellar, profile: clime, count: 1, config: { interval-report: "\${period}" } }
load:
  - { latest-value:, rate: 0.1/s }
expect:
  - call.refused == 0
`;

export function file(name: string, text: string): string {
  const path = join(folder, `${name}.yaml`);
  writeFileSync(path, text);
  return path;
}

export const limited = file('limited', LIMITED);
export const RATE = ['--vary', 'load.latest-value.rate', '--from', '0.1', '--to', '3.2'];

export async function resultOf(...args: readonly string[]): Promise<CapacityResult> {
  return JSON.parse((await ghostfleet(['capacity', ...args, '--workers', '1', '--json'])).out);
}
