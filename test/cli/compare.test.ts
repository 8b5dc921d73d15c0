/** `ghostfleet compare`, the files of a run, and its live metrics, as their user sees them. */
import { copyFileSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ghostfleet } from '../support/host.js';
import { directory, makeRuns, one, runLossy, scenario, slowDown, two } from './compare-support.js';

afterAll(() => rmSync(directory, { recursive: true }));

beforeAll(makeRuns);

describe('ghostfleet run --out', () => {
  it('writes every kind of report', () => {
    expect(readdirSync(one)).toEqual([
      ...['downlinks.csv', 'events.jsonl', 'junit.xml', 'report.html', 'report.txt', 'series.csv', 'summary.json'],
    ]);
    expect(readFileSync(join(one, 'downlinks.csv'), 'utf8').split('\r\n')).toHaveLength(14);
    expect(readFileSync(join(one, 'report.html'), 'utf8')).toContain('<h1>small</h1>');
  });
});

describe('ghostfleet compare', () => {
  it('finds no difference between two seeds, given directories or files', async () => {
    const { exit, out } = await ghostfleet(['compare', one, join(two, 'summary.json')]);
    expect(out).toContain('no difference found; the smallest change that would have shown: ');
    expect(exit).toBe(0);
  });

  it('ends with exit code 3 when a number differs', async () => {
    const changed = join(directory, 'changed.json');
    const summary = JSON.parse(readFileSync(join(two, 'summary.json'), 'utf8'));
    summary.samples.counts['uplink.stored'] = summary.samples.counts['uplink.stored'].map((n: number) => n * 4);
    writeFileSync(changed, JSON.stringify(summary));
    const { exit, out } = await ghostfleet(['compare', one, changed]);
    expect(out).toMatch(/different: uplink\.stored \+\d+\.\d% \(more\)/);
    expect(exit).toBe(3);
  });

  it('prints JSON, and writes a page', async () => {
    const file = join(directory, 'comparison.html');
    const { exit, out } = await ghostfleet(['compare', one, two, '--json', '--html', file]);
    const { different, metrics } = JSON.parse(out);
    expect([exit, different]).toEqual([0, false]);
    expect(metrics.length).toBeGreaterThan(5);
    expect(readFileSync(file, 'utf8')).toContain('<span class="verdict open">no difference found</span>');
  });

  it('rejects a folder whose reports and events are of different runs', async () => {
    const mixed = join(directory, 'mixed');
    cpSync(one, mixed, { recursive: true });
    copyFileSync(join(two, 'events.jsonl'), join(mixed, 'events.jsonl'));
    for (const path of [mixed, join(mixed, 'summary.json')]) {
      const { exit, err } = await ghostfleet(['compare', path, two]);
      expect(exit).toBe(2);
      expect(err).toContain(`the summary and the events of "${path}" are of different runs: their digests are `);
    }
    rmSync(join(mixed, 'events.jsonl'));
    expect((await ghostfleet(['compare', mixed, two])).exit).toBe(0);
  });

  it('rejects runs of a scenario that was changed between them, unless --force is given', async () => {
    const other = join(directory, 'other');
    writeFileSync(scenario, readFileSync(scenario, 'utf8').replace('40m', '41m'));
    await ghostfleet(['run', scenario, '--out', other]);
    const refused = await ghostfleet(['compare', one, other]);
    expect([refused.exit, refused.out]).toEqual([2, '']);
    expect(refused.err).toContain('the scenario "small" was changed between the runs');
    const forced = await ghostfleet(['compare', one, other, '--force']);
    expect(forced.out).toContain('! the scenario "small" was changed between the runs');
  });

  it.each([
    ['nowhere', 'cannot be read: the file does not exist'],
    [directory, 'is not a run: it has neither a summary.json nor directories of seeds'],
  ])('reports why the run %s cannot be read', async (path, complaint) => {
    const { exit, err } = await ghostfleet(['compare', path, one]);
    expect(err).toContain(complaint);
    expect(exit).toBe(2);
  });
});

describe('ghostfleet compare with several runs', () => {
  it('finds a slower side, in all formats', async () => {
    const [before, slow] = [join(directory, 'before'), join(directory, 'slow')];
    await runLossy(before, 1);
    cpSync(before, slow, { recursive: true });
    slowDown(slow, 3);
    const [html, markdown] = [join(directory, 'several.html'), join(directory, 'several.md')];
    const { exit, out } = await ghostfleet(['compare', before, slow, '--html', html, '--markdown', markdown]);
    expect(exit).toBe(3);
    expect(out).toContain('runs with the same seed are compared in pairs');
    expect(out).toMatch(/\nslower: downlink\.delivered p\(50\) \+\d+\.\d% \(slower\)/);
    expect(readFileSync(html, 'utf8')).toContain('<span class="verdict bad">slower</span>');
    const summary = readFileSync(markdown, 'utf8');
    expect(summary).toMatch(/^### lossy: slower\n/);
    expect(summary).toMatch(/^\| downlink\.delivered p\(50\) \| .* \| slower \|$/m);
  });

  it('compares those that ended, and says which one was killed', async () => {
    const [whole, killed] = [join(directory, 'whole'), join(directory, 'killed')];
    await runLossy(whole, 1);
    cpSync(whole, killed, { recursive: true });
    rmSync(join(killed, 'seed-2', 'summary.json'));
    const { exit, out } = await ghostfleet(['compare', whole, killed]);
    expect(out).toMatch(/^A .* 3 runs, seeds 1, 3, 4$/m);
    expect(out).toMatch(/^B .* 3 runs, seeds 1, 3, 4$/m);
    const left = out.replace(/\s+/g, ' ');
    expect(left).toContain('/seed-2" does not count, nor does the other run with this seed: it has no summary.json: ');
    expect(exit).toBe(0);
    for (const seed of [1, 3, 4]) rmSync(join(killed, `seed-${seed}`, 'summary.json'));
    rmSync(join(killed, 'seed-1', 'events.jsonl'));
    expect((await ghostfleet(['compare', killed, whole])).exit).toBe(2);
  });
});
