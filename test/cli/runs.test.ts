/** `ghostfleet runs`, `ghostfleet report`, and `ghostfleet compare` with a starred run. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findRunFolders } from '../../src/cli/run-folders.js';
import { ghostfleet } from '../support/host.js';

const root = process.cwd();
const top = mkdtempSync(join(tmpdir(), 'ghostfleet-runs-'));
const MADE = join(top, 'made');
const SCENARIO = join(top, 'small.yaml');

beforeAll(async () => {
  writeFileSync(
    SCENARIO,
    `name: small
duration: 40m
fleet: [{ name: clime, profile: clime, count: 12 }]
steps: [{ at: 5m, commands: [info show] }]
expect: [downlink.delivered p(50) < 1s, device.ready == fleet.devices]
`,
  );
  await ghostfleet(['run', SCENARIO, '--out', MADE]);
});

beforeEach(() => {
  process.chdir(mkdtempSync(join(top, 'test-')));
  return () => process.chdir(root);
});
afterAll(() => rmSync(top, { recursive: true }));

// biome-ignore lint/suspicious/noExplicitAny: the summary is changed at will
type Summary = any;

/** A folder with the run, as if it had started on a day of March 2026. */
function made(path: string, day: number, change: (summary: Summary) => void = () => {}): string {
  cpSync(MADE, path, { recursive: true });
  const file = join(path, 'summary.json');
  const summary = JSON.parse(readFileSync(file, 'utf8'));
  summary.startedAt = `2026-03-${String(day).padStart(2, '0')}T08:15:00.000Z`;
  change(summary);
  // The digest is that of the events, which are the same.
  writeFileSync(file, JSON.stringify(summary, null, 2));
  return path;
}

const storing = (times: number) => (summary: Summary) => {
  const { counts } = summary.samples;
  counts['uplink.stored'] = counts['uplink.stored'].map((count: number) => count * times);
};

async function list(...args: readonly string[]): Promise<string> {
  const { exit, out, err } = await ghostfleet(['runs', ...args]);
  expect([exit, err]).toEqual([0, '']);
  return out;
}

/** The lines of the list that begin with the name of a run, without repeated spaces. */
async function rows(...args: readonly string[]): Promise<readonly string[]> {
  const [, ...lines] = (await list(...args)).split('\n');
  return lines.slice(0, lines.indexOf('')).map((line) => line.replaceAll(/ +/g, ' '));
}

const STORED = ['--figure', 'uplink.stored'];

describe('ghostfleet runs', () => {
  it('lists runs below the folder, newest first, with the change of each figure from the run before', async () => {
    made('a/first', 1);
    made('second', 2, storing(2));
    made('third', 3, storing(1));
    const found = await rows(...STORED);
    const stored = /(\d+)$/.exec(found[2] ?? '')?.[1] ?? '';
    expect(found).toEqual([
      `third 2026-03-03 08:15 small 1 FAILED 12 1 ${stored} -50.0%`,
      `second 2026-03-02 08:15 small 1 FAILED 12 1 ${Number(stored) * 2} +100.0%`,
      `a/first 2026-03-01 08:15 small 1 FAILED 12 1 ${stored}`,
    ]);
  });

  it('shows the figures as compare does', async () => {
    const [one, two] = [made('one', 1), made('two', 2)];
    const figures = ['downlink.delivered p(50)', 'device.startup p(90)', 'uplink.stored'];
    const listed = JSON.parse(await list('--json', ...figures.flatMap((figure) => ['--figure', figure])));
    const conditions = figures.flatMap((figure) => ['--fail-if', `${figure} > +10%`]);
    const { metrics } = JSON.parse((await ghostfleet(['compare', one, two, '--json', ...conditions])).out);
    const compared = figures.map((figure) => metrics.find(({ metric }: { metric: string }) => metric === figure).a);
    expect(listed.runs[0].figures.map(({ value }: { value: number }) => value)).toEqual(compared);
  });

  it('shows the runs of several seeds as one row', async () => {
    for (const [seed, folder] of [1, 2, 10].entries()) {
      made(`many/seed-${folder}`, 5, (summary) => {
        summary.seed = folder;
        summary.passed = seed === 0;
        summary.exitCode = seed === 0 ? 0 : 3;
      });
    }
    expect(await rows(...STORED)).toEqual([
      expect.stringMatching(/^many 2026-03-05 08:15 small 3 seeds 1 of 3 passed 12 1 \d+$/),
    ]);
  });

  it('compares with the starred run instead of the run before', async () => {
    made('first', 1);
    made('second', 2, storing(2));
    made('third', 3, storing(3));
    expect((await ghostfleet(['runs', '--star', 'first'])).out).toBe(
      '★ first is the baseline of the scenario "small"\n',
    );
    const found = await rows(...STORED);
    expect(found.map((row) => /\S+%$/.exec(row)?.[0])).toEqual(['+200.0%', '+100.0%', undefined]);
    expect(found[2]).toMatch(/^★ first /);
  });

  it('moves the star when another run of the scenario gets it, and keeps those of other scenarios', async () => {
    made('first', 1);
    made('second', 2);
    made('other', 3, (summary) => {
      summary.scenario = 'other';
    });
    for (const run of ['first', 'other', 'second']) await ghostfleet(['runs', '--star', run]);
    const starred = (await rows()).flatMap((row) => /^★ (\S+)/.exec(row)?.[1] ?? []);
    expect(starred).toEqual(['other', 'second']);
    await ghostfleet(['runs', '--unstar', 'other']);
    expect((await rows()).filter((row) => row.startsWith('★'))).toHaveLength(1);
  });

  it('does not compare a run with one that did not finish, or of a changed scenario', async () => {
    made('first', 1, (summary) => {
      summary.planned.situation = '0000000000000000';
    });
    made('second', 2, (summary) => {
      summary.failure = 'the target is gone';
    });
    made('third', 3);
    const { runs } = JSON.parse(await list('--json'));
    expect(runs.map(({ run, baseline }: { run: string; baseline: unknown }) => [run, baseline])).toEqual([
      ['third', null],
      ['second', null],
      ['first', null],
    ]);
  });

  it('shows a damaged or foreign folder with the reason, and goes on', async () => {
    made('good', 1);
    for (const folder of ['foreign', 'damaged', 'deep', 'killed']) mkdirSync(folder);
    writeFileSync('foreign/summary.json', '{ "total": 3 }');
    writeFileSync('damaged/summary.json', readFileSync('good/summary.json').subarray(0, 900));
    writeFileSync('deep/summary.json', '['.repeat(100_000));
    cpSync('good/events.jsonl', 'killed/events.jsonl');
    mkdirSync('folder/summary.json', { recursive: true });
    made('wrong', 2, (summary) => {
      summary.startedAt = 'soon';
      summary.fleet = null;
      summary.expectations = [null, { line: 7 }];
      summary.passed = 'yes';
    });
    const out = await list();
    expect(out.match(/unreadable$/gm)).toHaveLength(5);
    for (const reason of [
      /^! foreign: "foreign" is not the summary of a run: "format" is missing, expected 1 or 2$/m,
      /^! damaged: "damaged" is not the summary of a run: /m,
      /^! deep: "deep" is not the summary of a run: /m,
      /^! killed: "killed" has no summary.json: it is in progress, or was killed; its events go up to 40m$/m,
      /^! folder: /m,
      /^good .* FAILED /m,
      /^wrong .* – +– +0 /m,
    ]) {
      expect(out).toMatch(reason);
    }
  });

  it('writes names of folders and scenarios on one line, without control characters', async () => {
    made('a\u001b[2J\nb\u202e', 1, (summary) => {
      summary.scenario = 'x\u001b]0;title\u0007\n✓ y';
    });
    const [row, ...more] = await rows();
    expect(row).toMatch(/^a\\u001b\[2J\\nb\\u202e .* x\\u001b\]0;title\\u0007\\n✓ y 1 FAILED /);
    expect(more).toEqual([]);
  });

  it('does not follow links, and leaves out hidden folders and node_modules', async () => {
    for (const [i, path] of ['elsewhere/run', 'here/run', 'here/.git/run', 'here/node_modules/run'].entries())
      made(path, i + 1);
    symlinkSync('../elsewhere/run', 'here/link');
    symlinkSync('..', 'here/loop');
    expect(await rows('here')).toEqual([expect.stringMatching(/^here\/run /)]);
  });

  it('says that a folder has no runs, and that one does not exist', async () => {
    expect(await list()).toBe('no runs in "."\n');
    const { exit, err } = await ghostfleet(['runs', 'nowhere']);
    expect([exit, err]).toEqual([2, 'ghostfleet: the folder "nowhere" cannot be read: no such folder\n']);
  });

  it('searches a limited number of folders, the upper ones first', () => {
    for (const path of ['a/b/c', 'd', 'e']) made(path, 1);
    expect(findRunFolders('.', 6)).toMatchObject({ runs: ['d', 'e', 'a/b/c'], isCut: false });
    expect(findRunFolders('.', 5)).toMatchObject({ isCut: true });
  });

  it('names everything that is wrong with the figures', async () => {
    const { exit, err } = await ghostfleet(['runs', '--figure', 'uplink.stred', '--figure', 'device.startup p(200) x']);
    expect(exit).toBe(2);
    expect(err).toContain('--figure "uplink.stred": column 1: expected a figure, found "uplink.stred" (did you mean');
    expect(err).toContain('--figure "device.startup p(200) x": column 16: "p(200)" is not a percentile');
    const more = await ghostfleet(['runs', '--figure', 'uplink.stored > 3']);
    expect(more.err).toContain('--figure "uplink.stored > 3": column 15: unexpected "> 3"');
  });
});

describe('ghostfleet runs --remove', () => {
  it('removes the files of runs, also of several seeds, and keeps those of the user', async () => {
    made('one', 1);
    made('noted', 2);
    writeFileSync('noted/notes.md', 'mine');
    made('many/seed-1', 3);
    made('many/seed-2', 3);
    made('kept', 4);
    const { exit, out } = await ghostfleet(['runs', '--yes', '--remove', 'one', 'noted/', './many']);
    expect([exit, out]).toEqual([0, 'removed 3 runs\n']);
    expect(readdirSync('.')).toEqual(['kept', 'noted']);
    expect(readdirSync('noted')).toEqual(['notes.md']);
  });

  it('asks first, and needs --yes without a terminal', async () => {
    made('one', 1);
    const refused = await ghostfleet(['runs', '--remove', 'one']);
    expect([refused.exit, refused.err]).toEqual([2, 'ghostfleet: without a terminal, --remove needs --yes\n']);
    const no = await ghostfleet(['runs', '--remove', 'one'], { terminal: {}, typed: [''] });
    expect(no.out).toContain('remove 1 run? [y/N] ');
    expect(existsSync('one/summary.json')).toBe(true);
    await ghostfleet(['runs', '--remove', 'one'], { terminal: {}, typed: ['y'] });
    expect(existsSync('one')).toBe(false);
  });

  it('removes nothing if one of the names is not a run in the list, or is starred', async () => {
    made('one', 1);
    made('outside/run', 1);
    mkdirSync('here');
    symlinkSync('../outside/run', 'here/link');
    symlinkSync('../outside', 'here/folder');
    const { exit, err } = await ghostfleet([
      'runs',
      '--yes',
      '--remove',
      'one',
      'here/link',
      'here/folder/run',
      'here',
      '..',
    ]);
    expect(exit).toBe(2);
    for (const name of ['here/link', 'here/folder/run', 'here', '..']) expect(err).toContain(`"${name}" is not a run`);
    await ghostfleet(['runs', '--star', 'one']);
    const starred = await ghostfleet(['runs', '--yes', '--remove', 'one', 'outside/run']);
    expect(starred.err).toBe('ghostfleet: "one" is starred: use --unstar first\n');
    expect(readdirSync('one')).toHaveLength(readdirSync(MADE).length + 1);
    expect(readdirSync('outside/run')).toEqual(readdirSync(MADE));
  });

  it('keeps a folder with files of others under the names of a run, and removes the rest', async () => {
    made('one', 1);
    made('mixed', 2);
    writeFileSync('mixed/junit.xml', '<testsuites name="others"/>');
    made('linked', 3);
    writeFileSync('precious.csv', 'precious');
    rmSync('linked/series.csv');
    symlinkSync('../precious.csv', 'linked/series.csv');
    made('many/seed-1', 4);
    symlinkSync('../one', 'many/seed-2');
    const { exit, out, err } = await ghostfleet(['runs', '--yes', '--remove', 'mixed', 'linked', 'many', 'one']);
    expect([exit, out]).toEqual([2, 'removed 1 run\n']);
    expect(err).toContain('"mixed" was not removed: files that no run wrote are in the way: "mixed/junit.xml" is not');
    expect(err).toContain('"linked/series.csv" is a link');
    expect(err).toContain('"many/seed-2" is a link');
    expect(readFileSync('precious.csv', 'utf8')).toBe('precious');
    expect(readdirSync('mixed')).toEqual(readdirSync(MADE));
  });
});

describe('the star', () => {
  it('is removed by the next run in the folder', async () => {
    made('one', 1);
    await ghostfleet(['runs', '--star', 'one']);
    expect((await ghostfleet(['run', SCENARIO, '--out', 'one'])).exit).toBe(3);
    expect(await list()).not.toContain('★ ');
  });

  it('is refused for a run that cannot be a baseline', async () => {
    made('one', 1, (summary) => {
      summary.failure = 'the target is gone';
    });
    const { exit, err } = await ghostfleet(['runs', '--star', 'one']);
    expect([exit, err]).toEqual([
      2,
      'ghostfleet: "one" cannot be a baseline: "one" did not finish: the target is gone\n',
    ]);
  });

  it('makes compare take the starred run as the other side', async () => {
    made('runs/first', 1);
    made('runs/second', 2, storing(2));
    const none = await ghostfleet(['compare', 'runs/second']);
    expect([none.exit, none.err]).toEqual([
      2,
      'ghostfleet: no other run of the scenario "small" in "runs" is starred\n' +
        'star one with "ghostfleet runs FOLDER --star RUN", or name both runs\n',
    ]);
    await ghostfleet(['runs', '--star', 'runs/first']);
    for (const path of ['runs/second', 'runs/second/summary.json']) {
      const { out } = await ghostfleet(['compare', path]);
      expect(out).toMatch(/^A {2}runs\/first · small · seed 1\nB {2}runs\/second/);
      expect(out).toMatch(/uplink\.stored +\d+ +\d+ +\+100\.0%/);
    }
    expect((await ghostfleet(['compare', 'runs/first'])).exit).toBe(2);
  });
});

describe('ghostfleet report', () => {
  it('prints the report of a run, or opens its page', async () => {
    made('one & two', 1);
    const opened: string[] = [];
    const browser = (address: string) => void opened.push(address);
    const { out } = await ghostfleet(['report', 'one & two'], { browser });
    expect(out).toBe(readFileSync('one & two/report.txt', 'utf8'));
    expect((await ghostfleet(['report', 'one & two/summary.json'])).out).toBe(out);
    await ghostfleet(['report', 'one & two', '--open'], { browser });
    expect(opened).toEqual([pathToFileURL(join(process.cwd(), 'one & two/report.html')).href]);
  });

  it('does not open a page that no run wrote', async () => {
    made('one', 1);
    writeFileSync('one/report.html', '<script>alert(1)</script>');
    const opened: string[] = [];
    const { exit, err } = await ghostfleet(['report', 'one', '--open'], {
      browser: (address) => void opened.push(address),
    });
    expect([exit, opened]).toEqual([2, []]);
    expect(err).toContain('"one/report.html" is not the file of a run');
    expect((await ghostfleet(['report', '.'])).err).toContain('"." has no report.txt');
    expect((await ghostfleet(['report', 'none'])).err).toContain('the folder "none" does not exist');
  });
});
