/** The build in a checkout whose packages for development were left out. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

it.each(['if-stale.mjs', 'need-tools.mjs'])(
  'scripts/build/%s says in one sentence how to install the tools of the build',
  (script) => {
    const checkout = mkdtempSync(join(tmpdir(), 'ghostfleet-no-tools-'));
    const { status, stdout, stderr } = spawnSync(process.execPath, [resolve('scripts/build', script)], {
      ...{ cwd: checkout, encoding: 'utf8' },
    });
    rmSync(checkout, { recursive: true });
    expect([status, stdout, stderr]).toEqual([
      1,
      '',
      'ghostfleet cannot be built, because tsc, tsx, vite, esbuild were left out, as with NODE_ENV=production or ' +
        '--omit=dev: run `npm ci --include=dev`\n',
    ]);
  },
);
