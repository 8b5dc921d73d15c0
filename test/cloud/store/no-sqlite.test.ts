/** better-sqlite3 that is absent, without its native part, or with one that cannot be loaded. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { bundled } from '../../support/bundled.js';

const folder = mkdtempSync(join(tmpdir(), 'ghostfleet-no-sqlite-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** What service, also with a new file, backup, doctor, lock, merge and rotation report if a loader, by default of the native part, throws this error. */
function reportedWith(
  error: { readonly message: string; readonly code?: string },
  name: 'bindings' | 'better-sqlite3' = 'bindings',
): readonly string[] {
  const preload = join(folder, 'preload.cjs');
  writeFileSync(
    preload,
    `const Module = require('node:module');
const load = Module._load;
const fail = () => { throw Object.assign(new Error(), ${JSON.stringify(error)}); };
Module._load = (name, ...more) => {
  if (name !== '${name}') return load(name, ...more);
  return name === 'bindings' ? fail : fail();
};`,
  );
  const database = join(folder, 'x.db');
  writeFileSync(database, 'x');
  const program = bundled(new URL('./open-without-native.ts', import.meta.url));
  const { stdout, stderr } = spawnSync(process.execPath, ['--require', preload, program, database], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  // No file was created.
  expect(readdirSync(folder)).toEqual(['preload.cjs', 'x.db']);
  return JSON.parse(stdout);
}

const USES = 7;

it.each([
  [
    { message: 'Could not locate the bindings file. Tried:\n → /x/build/better_sqlite3.node' },
    'was not installed, as after `npm ci --ignore-scripts`',
  ],
  [
    {
      message: "The module '/x.node'\nwas compiled against a different Node.js version using\nNODE_MODULE_VERSION 127.",
      code: 'ERR_DLOPEN_FAILED',
    },
    'was built for another version of Node',
  ],
  [
    { message: '/x.node: invalid ELF header', code: 'ERR_DLOPEN_FAILED' },
    'cannot be loaded on this machine: /x.node: invalid ELF header',
  ],
])('a missing native part of better-sqlite3 is not blamed on the database: %j', (error, why) => {
  const message = `no-sqlite\nthe native part of better-sqlite3, which SQLite files need, ${why}`;
  const hint = `\`npm rebuild better-sqlite3 --prefix ${process.cwd()}\` installs it`;
  expect(reportedWith(error)).toEqual(Array(USES).fill(`${message}\n${hint}`));
});

it('an absent better-sqlite3 is not blamed on the database', () => {
  const error = { message: "Cannot find module 'better-sqlite3'\nRequire stack:\n- /x.mjs", code: 'MODULE_NOT_FOUND' };
  const why = 'was not installed, because its native part could neither be fetched nor built';
  expect(reportedWith(error, 'better-sqlite3')).toEqual(
    Array(USES).fill(
      `no-sqlite\nSQLite files need better-sqlite3, which ${why}\n\`npm install better-sqlite3@12\` shows why`,
    ),
  );
});
