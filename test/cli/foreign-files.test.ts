/** A run removes files of earlier runs from the directory of `--out`, and refuses to touch those of others. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStore } from '../../src/cloud/open-store.js';
import { removeRunFolder } from '../../src/library/run-files.js';
import { runScenario, writeReports } from '../../src/library/scenario.js';
import { ghostfleet } from '../support/host.js';
import { folder as capacityFolder, limited, RATE } from './capacity-support.js';

const top = mkdtempSync(join(tmpdir(), 'ghostfleet-foreign-'));
afterAll(() => {
  for (const path of [top, capacityFolder]) rmSync(path, { recursive: true });
});

const TINY = join(top, 'tiny.yaml');
const TEXT = 'name: tiny\nduration: 10m\nfleet: [{ name: clime, profile: clime, count: 1 }]\n';
writeFileSync(TINY, TEXT);

let folders = 0;
function folder(): string {
  const path = join(top, `out-${++folders}`);
  mkdirSync(path);
  return path;
}

function contents(path: string): Readonly<Record<string, string>> {
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name), 'latin1')]),
  );
}

const run = (out: string, ...more: readonly string[]) => ghostfleet(['run', TINY, '--out', out, ...more]);

const RAN = join(top, 'ran');
beforeAll(() => run(RAN));

/** A folder with the files of a run. */
function ran(): string {
  const path = folder();
  cpSync(RAN, path, { recursive: true });
  return path;
}

const HINT = 'use another directory, or move these files away';

it('a run replaces the files of a run that began with a step', async () => {
  const file = join(top, 'step.yaml');
  writeFileSync(file, `${TEXT.replace('count: 1', 'count: 1, boot: { from: 1m }')}steps: [{ at: 0s, flash: new }]\n`);
  const out = folder();
  const again = () => ghostfleet(['run', file, '--out', out]);
  await again();
  expect(readFileSync(join(out, 'events.jsonl'), 'utf8')).toMatch(/^\{"kind":"step"/);
  expect(await again()).toMatchObject({ exit: 0, err: expect.not.stringContaining('in the way') });
});

it('a search for a capacity replaces the files of a run, and a run those of a search', async () => {
  const out = ran();
  const search = ['capacity', limited, ...RATE, '--budget', '1ms', '--workers', '1', '--out', out];
  expect((await ghostfleet(search)).exit).toBe(4);
  expect(readdirSync(out).sort()).toEqual(['capacity.html', 'capacity.json', 'junit.xml']);
  await run(out);
  expect(readdirSync(out).sort()).toEqual(readdirSync(RAN).sort());
});

it('a search for a capacity refuses the folder of a run with a file that no run wrote', async () => {
  const out = ran();
  writeFileSync(join(out, 'series.csv'), 'year\n');
  const before = contents(out);
  const { exit, err } = await ghostfleet(['capacity', limited, ...RATE, '--workers', '1', '--out', out]);
  expect([exit, err]).toEqual([2, expect.stringContaining(`"${join(out, 'series.csv')}" is not the file of a run`)]);
  expect(contents(out)).toEqual(before);
});

it('a summary, a page and a fitted scenario do not take the place of files of others', async () => {
  const recording = join(folder(), 'mine.ndjson');
  writeFileSync(recording, '{"kind":"recording"}\n');
  const commands = [
    ['run', TINY, '--markdown', join(RAN, 'downlinks.csv')],
    ['run', TINY, '--seeds', '2', '--markdown', recording],
    ['compare', RAN, RAN, '--markdown', TINY],
    ['compare', RAN, RAN, '--html', recording],
    ['fit', recording, '--out', TINY],
  ];
  for (const command of commands) {
    const { exit, err } = await ghostfleet(command);
    expect([exit, err]).toEqual([2, expect.stringMatching(/has other content than a .*\nchoose another name\n/)]);
  }
  expect([readFileSync(TINY, 'utf8'), readFileSync(recording, 'utf8')]).toEqual([TEXT, '{"kind":"recording"}\n']);
});

it.each([
  ['junit.xml', '<?xml version="1.0" encoding="UTF-8" ?>\n<testsuites name="vitest tests" tests="1">'],
  ['summary.json', '{ "total": 3 }'],
  ['report.html', '<!doctype html>\n<html lang="en">\n<title>coverage</title>'],
  ['report.txt', 'all is well'],
  ['series.csv', 'a,b\n1,2\n'],
  ['downlinks.csv', 'id;type\n'],
  ['events.jsonl', '{"event":"mine"}\n'],
  ['seeds.json', '["oak"]'],
  ['seeds.csv', 'plant,number\n'],
  ['cloud.db', 'a database of another program'],
])('a run refuses to replace a %s that no run wrote', async (name, text) => {
  const out = ran();
  writeFileSync(join(out, name), text);
  const before = contents(out);
  const { exit, err } = await run(out);
  expect(exit).toBe(2);
  expect(err).toContain(`"${join(out, name)}" is not `);
  expect(err).toContain(HINT);
  expect(contents(out)).toEqual(before);
});

it('a run names all files of others at once, also in the directories of seeds and behind links', async () => {
  const out = folder();
  mkdirSync(join(out, 'seed-7'));
  writeFileSync(join(out, 'junit.xml'), '<mine/>');
  writeFileSync(join(out, 'seed-7', 'series.csv'), 'year\n');
  symlinkSync(TINY, join(out, 'report.txt'));
  const { err } = await run(out);
  for (const name of ['junit.xml', join('seed-7', 'series.csv'), 'report.txt']) expect(err).toContain(join(out, name));
});

it('a run removes the database of an earlier run', async () => {
  const out = folder();
  await run(out, '--store', 'sqlite');
  expect((await run(out)).exit).toBe(0);
  expect(readdirSync(out).filter((name) => name.startsWith('cloud'))).toEqual(['cloud.db-owner']);
});

it('a run removes the database of an earlier run in several threads', async () => {
  const out = folder();
  const several = join(top, 'several.yaml');
  writeFileSync(several, TEXT.replace('count: 1', 'count: 4'));
  expect((await ghostfleet(['run', several, '--out', out, '--store', 'sqlite', '--workers', '2'])).exit).toBe(0);
  expect((await run(out)).exit).toBe(0);
  expect(readdirSync(out).filter((name) => name.startsWith('cloud'))).toEqual(['cloud.db-owner']);
});

it('a run keeps the database of a service that is running', async () => {
  const out = folder();
  const store = await openStore(join(out, 'cloud.db'));
  const { exit, err } = await run(out);
  expect(exit).toBe(2);
  expect(err).toContain(`"${join(out, 'cloud.db')}" is not only the database of a run`);
  expect(readdirSync(out)).toEqual(expect.arrayContaining(['cloud.db', 'cloud.db-key', 'cloud.db-wal']));
  await store.close();
});

it('a run keeps the database of an earlier run that a service has used since', async () => {
  const out = folder();
  await run(out, '--store', 'sqlite');
  await (await openStore(join(out, 'cloud.db'))).close();
  const { exit, err } = await run(out);
  expect(exit).toBe(2);
  expect(err).toContain(`"${join(out, 'cloud.db')}" is not only the database of a run`);
});

it('a run keeps the database that another run is using', async () => {
  const out = folder();
  const store = await openStore(join(out, 'cloud.db'), { alone: true });
  const { exit, err } = await run(out);
  expect(exit).toBe(2);
  expect(err).toContain(`"${join(out, 'cloud.db')}" is in use by another process`);
  await store.close();
});

it('a run keeps a database that was moved to the place of that of a run', async () => {
  const [out, other] = [folder(), folder()];
  await run(out, '--store', 'sqlite');
  await run(other, '--store', 'sqlite');
  for (const suffix of ['', '-key', '-tail']) {
    writeFileSync(join(out, `cloud.db${suffix}`), readFileSync(join(other, `cloud.db${suffix}`)));
  }
  expect((await run(out)).exit).toBe(2);
});

it('a run whose reports follow a failed one replaces them', async () => {
  const out = folder();
  const failing = join(top, 'failing.yaml');
  writeFileSync(failing, `${TEXT.replace('tiny', 'x'.repeat(60))}expect: [device.ready == 9]\n`);
  expect((await ghostfleet(['run', failing, '--out', out])).exit).toBe(3);
  expect((await run(out)).exit).toBe(0);
});

it('writeReports refuses to replace a file that no run wrote', async () => {
  const out = folder();
  const result = await runScenario(TINY);
  writeReports(result, out);
  writeReports(result, out);
  writeFileSync(join(out, 'junit.xml'), '<mine/>');
  expect(() => writeReports(result, out)).toThrow(`"${join(out, 'junit.xml')}" is not the file of a run`);
  writeReports(result, out, ['text']);
  expect(readFileSync(join(out, 'junit.xml'), 'utf8')).toBe('<mine/>');
});

it.each([
  ['run', (out: string) => ['--out', out], 'seed-7'],
  ['run --seeds', (out: string) => ['--out', out, '--seeds', '2', '--seed', '1'], 'seed-2'],
])('%s refuses a directory of a seed that is a link, and leaves the files behind it', async (_, args, name) => {
  const [mine, gift] = [ran(), folder()];
  symlinkSync(mine, join(gift, name));
  const before = contents(mine);
  const { exit, err } = await ghostfleet(['run', TINY, ...args(gift)]);
  expect(exit).toBe(2);
  expect(err).toContain(`"${join(gift, name)}" is a link`);
  expect(contents(mine)).toEqual(before);
});

it('ab refuses a directory of its runs that is a link', async () => {
  const [mine, gift] = [ran(), folder()];
  symlinkSync(mine, join(gift, 'a'));
  const before = contents(mine);
  const targets = ['--a', 'http://127.0.0.1:1', '--b', 'http://127.0.0.1:1', '--out', gift];
  const { exit, err } = await ghostfleet(['ab', TINY, ...targets], { env: { GHOSTFLEET_API_KEY: 'key' } });
  expect(exit).toBe(2);
  expect(err).toContain(`"${join(gift, 'a')}" is a link`);
  expect(contents(mine)).toEqual(before);
});

it.each(['events.jsonl', 'summary.json', 'report.html', 'downlinks.csv', 'seed-3/events.jsonl'])(
  'a run refuses a named pipe in the place of %s, which may have no reader',
  async (name) => {
    const out = folder();
    mkdirSync(join(out, 'seed-3'));
    execFileSync('mkfifo', [join(out, name)]);
    const { exit, err } = await run(out);
    expect(exit).toBe(2);
    expect(err).toContain(`"${join(out, name)}" is not a file`);
  },
);

it.each(['cloud.db-run', 'cloud.db-tail', 'cloud.db-owner', 'cloud.db-key', 'cloud.db-wal'])(
  'a run refuses a link in the place of %s, and writes nothing through it',
  async (name) => {
    const out = folder();
    const victim = join(folder(), 'victim');
    writeFileSync(victim, 'mine');
    symlinkSync(victim, join(out, name));
    const { exit, err } = await ghostfleet(['run', TINY, '--out', out, '--store', 'sqlite']);
    expect([exit, err]).toEqual([2, expect.stringContaining(`"${join(out, name)}" is a link`)]);
    expect(readFileSync(victim, 'utf8')).toBe('mine');
  },
);

it.each(['.run-owner', 'cloud.db-owner', 'seed-1/.run-owner', 'seed-1/cloud.db-owner'])(
  'a directory %s with files of a user stays, and so do all other files',
  async (name) => {
    const out = ran();
    mkdirSync(join(out, name), { recursive: true });
    writeFileSync(join(out, name, 'thesis.txt'), 'mine');
    const before = contents(out);
    const complaint = `"${join(out, name)}" is not a file`;
    expect(() => removeRunFolder(out)).toThrow(complaint);
    expect(await run(out)).toMatchObject({ exit: 2, err: expect.stringContaining(complaint) });
    expect(contents(out)).toEqual(before);
    expect(readFileSync(join(out, name, 'thesis.txt'), 'utf8')).toBe('mine');
  },
);
