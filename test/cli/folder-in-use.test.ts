/** While a run writes to its directory, no other run may use it. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { beginRun } from '../../src/library/run-files.js';
import { runScenario, writeReports } from '../../src/library/scenario.js';
import { bundled } from '../support/bundled.js';
import { ghostfleet } from '../support/host.js';

const top = mkdtempSync(join(tmpdir(), 'ghostfleet-in-use-'));
afterAll(() => rmSync(top, { recursive: true }));

const TINY = join(top, 'tiny.yaml');
writeFileSync(TINY, 'name: tiny\nduration: 10m\nfleet: [{ name: clime, profile: clime, count: 1 }]\n');

let folders = 0;
const newFolder = () => join(top, `out-${++folders}`);
const run = (out: string, ...more: readonly string[]) => ghostfleet(['run', TINY, '--out', out, ...more]);

it.each([
  ['run', []],
  ['run --store sqlite', ['--store', 'sqlite']],
  ['run --seeds', ['--seeds', '2']],
])(
  '%s refuses the directory that another run is writing to, also by another name, and changes nothing',
  async (_, more) => {
    const out = newFolder();
    const other = beginRun(out);
    writeFileSync(join(out, 'events.jsonl'), '{"kind":"device.boot","at":0}\n');
    const before = readdirSync(out);
    symlinkSync(out, `${out}-link`);
    for (const name of [out, `${out}-link`]) {
      const { exit, err } = await run(name, ...more);
      expect(exit).toBe(2);
      expect(err).toContain(`another run is writing to the directory "${name}"\n`);
    }
    expect(readdirSync(out)).toEqual(before);
    other.end();
    expect((await run(out, ...more)).exit).toBe(0);
    expect(readdirSync(out)).not.toContain('.run-owner');
  },
);

it('two runs that begin at the same time do not mix their files: the second is refused', async () => {
  const out = newFolder();
  const both = await Promise.all([run(out, '--seed', '1'), run(out, '--seed', '2')]);
  expect(both.map(({ exit }) => exit).sort()).toEqual([0, 2]);
  const { digest } = JSON.parse(readFileSync(join(out, 'summary.json'), 'utf8'));
  expect(both.find(({ exit }) => exit === 0)?.out).toContain(digest);
});

it('a run refuses a directory if another run is writing to one of its directories of seeds', async () => {
  const out = newFolder();
  mkdirSync(out);
  const seed = beginRun(join(out, 'seed-4'));
  expect((await run(out)).err).toContain(`another run is writing to the directory "${join(out, 'seed-4')}"\n`);
  seed.end();
  expect((await run(out)).exit).toBe(0);
  expect(readdirSync(out)).not.toContain('seed-4');
});

it('functions of the package refuse the directory that a run is writing to', async () => {
  const out = newFolder();
  const result = await runScenario(TINY);
  const other = beginRun(out);
  expect(() => writeReports(result, out)).toThrow('another run is writing to the directory');
  await expect(runScenario(TINY, { out })).rejects.toThrow('another run is writing to the directory');
  other.end();
  await runScenario(TINY, { out });
  writeReports(result, out);
  expect(readdirSync(out)).not.toContain('.run-owner');
});

it('a run that was killed does not block the next one', async () => {
  const out = newFolder();
  const child = fork(bundled(new URL('./lock-until-killed.ts', import.meta.url)), [out], { execArgv: [] });
  await once(child, 'message');
  expect((await run(out)).exit).toBe(2);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(readdirSync(out)).toEqual(['.run-owner']);
  expect((await run(out)).exit).toBe(0);
});

it('a run that is refused because of files of others leaves no lock behind', async () => {
  const out = newFolder();
  mkdirSync(out);
  writeFileSync(join(out, 'report.txt'), 'mine');
  expect((await run(out)).exit).toBe(2);
  expect(readdirSync(out)).toEqual(['report.txt']);
});

it('a file of the user with the name of the lock file stays', async () => {
  const out = newFolder();
  mkdirSync(out);
  writeFileSync(join(out, '.run-owner'), 'mine');
  expect((await run(out)).err).toContain(`"${join(out, '.run-owner')}" is not the file of a run`);
  expect(readFileSync(join(out, '.run-owner'), 'utf8')).toBe('mine');
});
