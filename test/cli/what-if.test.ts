/** `ghostfleet what-if`, as its user sees it. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ghostfleet } from '../support/host.js';
import { answer, folder, folderOf, MANY, makeRun, run, SMALL, saidAbout, scenario } from './what-if-support.js';

afterAll(() => rmSync(folder, { recursive: true }));

beforeAll(makeRun);

describe('ghostfleet what-if', () => {
  it('has the downlink of a device in the run, and exactly as it is in a run of the changed scenario', async () => {
    const { downlinks, changes, simulated, expectations } = await answer(run, 'clime-0001', '--without', 'outage');
    expect([changes, simulated, expectations]).toEqual([['without outage (clime/1)'], false, undefined]);
    const [other, calm] = [join(folder, 'calm.yaml'), join(folder, 'calm')];
    writeFileSync(other, SMALL.replace(/ {2}- \{ outage.*\n/, ''));
    await ghostfleet(['run', other, '--out', calm]);
    const of = async (path: string) =>
      JSON.parse((await ghostfleet(['explain', path, 'clime-0001', '--json'])).out).downlinks[0];
    const [before, after] = [await of(run), await of(calm)];
    expect(downlinks).toHaveLength(1);
    expect(downlinks[0]).toMatchObject({ downlink: before.downlink, before: { took: before.took } });
    expect(downlinks[0].after).toMatchObject({ took: after.took, timeline: after.timeline });
    expect(after.took).toBeLessThan(600_000);
  });

  it('shows the same percentile in the table and in an expectation', async () => {
    const file = join(folder, 'percentile.yaml');
    writeFileSync(file, MANY);
    const { out } = await ghostfleet(['what-if', file, '--without', 'outage']);
    const rows = /time p\(95\) +(\d+m \d\ds) +(\d+m \d\ds)$/m.exec(out);
    const sides = [...out.matchAll(/(?:before|after ) ✗ .* is (\d+m \d\ds),/g)].map(([, shown]) => shown);
    expect(rows?.slice(1)).toEqual(sides);
  });

  it('shows both timelines beside each other, and the figures before and after', async () => {
    const { out } = await ghostfleet(['what-if', scenario, '--set', 'interval-p=60', '--without', 'out']);
    expect(out).toContain('what if: without outage (clime/1), with app interval-poll 60');
    expect(out).not.toContain('simulated');
    expect(out).toMatch(/before +after\n.*downlinks +2 +2/);
    expect(out).toMatch(/✗ .*\n +after +✓/);
    expect(out).toMatch(/outage \(clime\/1\) begins +│ /);
  });

  it('says that a run cannot be repeated if its scenario has changed, and so does explain', async () => {
    const [changed, old] = [join(folder, 'changed.yaml'), join(folder, 'old')];
    writeFileSync(changed, SMALL);
    await ghostfleet(['run', changed, '--out', old]);
    writeFileSync(changed, SMALL.replace('66m', '67m'));
    const { exit, err } = await ghostfleet(['what-if', old, '--without', 'outage']);
    expect(exit).toBe(2);
    expect(err).toContain(`the run cannot be repeated, because "${changed}" is another scenario now`);
    const explained = (await ghostfleet(['explain', old, '--slowest', '1'])).out.replace(/\s+/g, ' ');
    expect(explained).toContain('is another scenario now.');
    expect(explained).toContain('The cause is the fault outage (clime/1).');
  });
});

describe('the folder of a run of another author', () => {
  const named = (file: string) => folderOf(({ source }) => ({ source: { ...source, file } }));

  it('cannot add a line of its own with the name of a secret variable', async () => {
    const vars = { 'x\nFAKE \u202e': null };
    const changed = folderOf(({ source }) => ({ source: { ...source, vars } }));
    const { err } = await ghostfleet(['what-if', changed, '--without', 'outage']);
    expect(err).toContain(String.raw`its variable "x\nFAKE \u202e" is secret`);
  });

  it('that names the standard input as its scenario is not repeated, and nothing is read from there', async () => {
    const { whatIf, explained } = await saidAbout(named('-'));
    for (const said of [whatIf, explained]) expect(said).toContain('"-" cannot be read: the file does not exist');
  });

  it('that names a pipe, a device or a folder as its scenario is not repeated, without waiting for a writer', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    for (const file of [pipe, '/dev/zero']) {
      const { whatIf, explained } = await saidAbout(named(file));
      for (const said of [whatIf, explained]) expect(said).toContain('it is not a regular file');
    }
    expect((await saidAbout(named(folder))).whatIf).toContain('it is a directory');
  });

  it('that names another file as its scenario shows nothing of its text', async () => {
    const file = join(folder, 'secrets');
    for (const text of [
      'root:x:0:0:root\n',
      'token: hunter2-root\n',
      '{ "root": [1, 2',
      'name: root\nduration: [root]\n',
    ]) {
      writeFileSync(file, text);
      const { whatIf, explained } = await saidAbout(named(file));
      for (const said of [whatIf, explained]) {
        expect(said).toContain('is not valid now, or needs --allow-file; "ghostfleet validate" shows why');
        expect(said).not.toContain('root');
      }
    }
  });

  it('does not permit its scenario to read files elsewhere: only the user does', async () => {
    const [inside, outside] = [join(folder, 'inside'), join(folder, 'part.yaml')];
    mkdirSync(inside);
    symlinkSync(outside, join(inside, 'linked.yaml'));
    writeFileSync(outside, 'steps: [{ at: 65m, commands: [info show] }]\n');
    const whole = join(inside, 'whole.yaml');
    writeFileSync(whole, SMALL.replace(/steps:\n.*\n.*\n/, 'include: [linked.yaml]\n'));
    const out = join(folder, 'permitted');
    await ghostfleet(['run', whole, '--allow-file', outside, '--out', out]);
    const { whatIf, explained } = await saidAbout(out);
    for (const said of [whatIf, explained]) expect(said).toContain('needs --allow-file');
    const permitted = await saidAbout(out, '--allow-file', outside);
    expect(permitted.whatIf).toContain('what if: without outage');
    expect(permitted.explained).not.toContain('--allow-file');
  });
});
