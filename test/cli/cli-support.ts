/** What cli.test.ts and cli.long.test.ts share. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const directory = mkdtempSync(join(tmpdir(), 'ghostfleet-cli-'));

export function file(name: string, text: string | Buffer): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}

export const SMALL = file(
  'small.yaml',
  `name: small
duration: 40m
fleet: [{ name: clime, profile: clime, count: 2 }]
steps: [{ at: 5m, commands: [info show] }]
expect: [device.ready == 2, downlink.answered == 2]
`,
);
