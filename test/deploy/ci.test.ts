/** The action for GitHub and the job for GitLab: their scripts run, with stand-ins for `npx`, `gh`, `curl` and the network. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { action, CHECK, FAKE, job, makeFolder, read, runScript, scriptOf } from './ci-support.js';

describe('the check of the action', () => {
  it('lets no text of a run act as a command of the workflow', () => {
    const folder = makeFolder({ npx: 'echo "::error::pwned"; exit 3' });
    expect(runScript(folder, `(${CHECK}) > out.txt`, { SCENARIO: 'a.yaml' })).toBe(3);
    const [begin = '', ...lines] = read(folder, 'out.txt').trim().split('\n');
    const token = begin.replace('::stop-commands::', '');
    expect(token).toMatch(/^[\w-]{32,}$/);
    expect(lines).toEqual(['::error::pwned', `::${token}::`]);
  });

  it('runs the scenario with the seeds and the version that were asked for', () => {
    const folder = makeFolder({ npx: FAKE });
    const env = { SCENARIO: 'my fleet.yaml', SEEDS: '4', GHOSTFLEET_VERSION: '1.2.3', RUN: '0', COMPARE: '0' };
    expect(runScript(folder, CHECK, env)).toBe(0);
    expect(read(folder, 'called.txt')).toBe(
      'npx --yes ghostfleet@1.2.3 run my fleet.yaml --seeds 4 --out ghostfleet/run --markdown ghostfleet/run.md\n',
    );
    expect(read(folder, 'ghostfleet/summary.md')).toBe('of the run\n');
  });
});

describe('the other steps of the action', () => {
  it('download the runs of the last good run of the default branch', () => {
    const folder = makeFolder({
      gh: 'case "$*" in *"--event push"*) echo 42;; *"--event schedule"*) echo 9;; "run list"*"--event workflow"*) exit 1;; esac',
    });
    const env = { GITHUB_REPOSITORY: 'o/r', GITHUB_WORKFLOW: 'fleet', BRANCH: 'main', NAME: 'fleet' };
    expect(runScript(folder, scriptOf('Get the runs of the default branch'), env)).toBe(0);
    const lists = read(folder, 'called.txt').match(/^gh run list.*$/gm) ?? [];
    // A list without an event has the runs of a fork's branch of the same name, too.
    expect(lists.map((list) => /--branch main --event (\S+) --status success/.exec(list)?.[1])).toEqual([
      'push',
      'schedule',
      'workflow_dispatch',
    ]);
    expect(read(folder, 'called.txt')).toContain(
      'gh run download 42 --repo o/r --name ghostfleet-fleet --dir ghostfleet/fleet/before\n',
    );
  });

  it.each([
    ['fleet.yaml', 'fleet'],
    ['scenarios/a.yml', 'scenarios-a'],
    ['scenarios/b.yaml', 'scenarios-b'],
    ['library/boot-storm', 'library-boot-storm'],
    ['./my fleet: "20 %".yaml', 'my-fleet-20-'],
    ['../x.yaml\nname=other', 'x.yaml-name-other'],
    ['…', 'runs'],
  ])('name the runs of %j: %s', (NAME, name) => {
    const folder = makeFolder({});
    expect(runScript(folder, scriptOf('Name the runs'), { NAME, GITHUB_OUTPUT: 'output.txt' })).toBe(0);
    expect(read(folder, 'output.txt')).toBe(`name=${name}\n`);
  });

  it('keep the runs of two scenarios apart', () => {
    const text = readFileSync('action.yml', 'utf8');
    const places = [...text.matchAll(/ghostfleet\/.*|name: ghostfleet-.*/g)].map(([place]) => place);
    const shared = places.filter((place) => !/\$NAME|steps\.runs\.outputs\.name/.test(place));
    expect([places.length > 5, shared]).toEqual([true, []]);
    const folder = makeFolder({ npx: FAKE });
    mkdirSync(join(folder, 'ghostfleet/before/run'), { recursive: true });
    const env = { SCENARIO: 'a.yaml', FOLDER: 'ghostfleet/a', RUN: '0', COMPARE: '0' };
    expect(runScript(folder, CHECK, env)).toBe(0);
    expect(read(folder, 'called.txt')).not.toContain(' compare ');
    expect(read(folder, 'called.txt')).toContain('--out ghostfleet/a/run --markdown ghostfleet/a/run.md\n');
  });

  it('show the summary', () => {
    const folder = makeFolder({});
    writeFileSync(join(folder, 'summary.md'), 'all is well\n');
    expect(runScript(folder, scriptOf('Show the summary'), { SUMMARY: 'summary.md' })).toBe(0);
    expect(read(folder, 'step-summary.md')).toBe('all is well\n');
  });

  it.each([
    ['', 'pr comment 7 --repo o/r --body-file ghostfleet/a/comment.md'],
    [
      'https://github.com/o/r/pull/7#issuecomment-123',
      'api --silent --method PATCH repos/o/r/issues/comments/123 --field body=@ghostfleet/a/comment.md',
    ],
  ])('write a comment of each name, or change it: %j', (url, call) => {
    const folder = makeFolder({ gh: `case "$*" in "pr view"*) echo "${url}";; esac` });
    mkdirSync(join(folder, 'ghostfleet/a'), { recursive: true });
    writeFileSync(join(folder, 'ghostfleet/a/summary.md'), 'all is well\n');
    const env = { NUMBER: '7', GITHUB_REPOSITORY: 'o/r', NAME: 'a' };
    expect(runScript(folder, scriptOf('Comment on the pull request'), env)).toBe(0);
    expect(read(folder, 'ghostfleet/a/comment.md')).toBe('<!-- ghostfleet a -->\nall is well\n');
    expect(read(folder, 'called.txt')).toContain('startswith("<!-- ghostfleet a -->")');
    expect(read(folder, 'called.txt')).toContain(`gh ${call}\n`);
  });

  it('cut a summary that is longer than a comment may be, after whole lines, and say so first', () => {
    const folder = makeFolder({ gh: 'exit 0' });
    mkdirSync(join(folder, 'ghostfleet/a'), { recursive: true });
    writeFileSync(join(folder, 'ghostfleet/a/summary.md'), `FAILED\n${'é'.repeat(99)}\n`.repeat(400));
    const env = { NUMBER: '7', GITHUB_REPOSITORY: 'o/r', NAME: 'a' };
    expect(runScript(folder, scriptOf('Comment on the pull request'), env)).toBe(0);
    const lines = read(folder, 'ghostfleet/a/comment.md').split('\n');
    expect(lines.slice(0, 4)).toEqual([
      '<!-- ghostfleet a -->',
      '_Only the beginning of the summary: all of it is on the page of the run._',
      '',
      'FAILED',
    ]);
    expect(lines.join('\n').length).toBeLessThan(65_536);
    expect([lines.length > 300, new Set(lines.slice(3))]).toEqual([true, new Set(['FAILED', 'é'.repeat(99), ''])]);
  });

  it('use only inputs that exist, and no input within a script', () => {
    const text = readFileSync('action.yml', 'utf8');
    const used = [...text.matchAll(/inputs\.([\w-]+)/g)].map(([, name = '']) => name);
    expect([...new Set(used)].sort()).toEqual(Object.keys(action.inputs).sort());
    expect(action.runs.steps.filter(({ run = '' }) => run.includes('${{'))).toEqual([]);
  });
});

describe('the job for GitLab', () => {
  it('runs the script of the package, after it has fetched the runs of the default branch', () => {
    const folder = makeFolder({
      npm: `mkdir -p node_modules; ln -s "${resolve('.')}" node_modules/ghostfleet`,
      npx: FAKE,
      curl: 'touch before.zip',
      unzip: 'mkdir -p before/ghostfleet/run',
    });
    const env = {
      ...job.variables,
      RUN: '0',
      COMPARE: '3',
      FAIL_IF: 'a > +1%',
      CI_DEFAULT_BRANCH: 'main',
      CI_JOB_NAME: 'fleet: [a.yaml]',
    };
    expect(runScript(folder, job.script.join('\n'), env)).toBe(3);
    expect(read(folder, 'called.txt')).toMatch(
      /--get --data-urlencode job=fleet: \[a\.yaml\] .*\/artifacts\/main\/download\n/,
    );
    expect(read(folder, 'ghostfleet/summary.md')).toBe('of the run\nof the comparison\n');
    expect(job.artifacts.paths).toEqual(['ghostfleet/run', 'ghostfleet/summary.md']);
  });

  it('is in the package with its script', () => {
    expect(JSON.parse(readFileSync('package.json', 'utf8')).files).toContain('deploy');
  });
});
