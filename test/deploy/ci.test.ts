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
    const env = { GITHUB_REPOSITORY: 'o/r', GITHUB_WORKFLOW: 'fleet', BRANCH: 'main' };
    expect(runScript(folder, scriptOf('Get the runs of the default branch'), env)).toBe(0);
    const lists = read(folder, 'called.txt').match(/^gh run list.*$/gm) ?? [];
    // A list without an event has the runs of a fork's branch of the same name, too.
    expect(lists.map((list) => /--branch main --event (\S+) --status success/.exec(list)?.[1])).toEqual([
      'push',
      'schedule',
      'workflow_dispatch',
    ]);
    expect(read(folder, 'called.txt')).toContain(
      'gh run download 42 --repo o/r --name ghostfleet --dir ghostfleet/before\n',
    );
  });

  it('show the summary, and comment with it', () => {
    const folder = makeFolder({ gh: '' });
    mkdirSync(join(folder, 'ghostfleet'));
    writeFileSync(join(folder, 'ghostfleet/summary.md'), 'all is well\n');
    expect(runScript(folder, scriptOf('Show the summary'), {})).toBe(0);
    expect(read(folder, 'step-summary.md')).toBe('all is well\n');
    expect(runScript(folder, scriptOf('Comment on the pull request'), { NUMBER: '7', GITHUB_REPOSITORY: 'o/r' })).toBe(
      0,
    );
    expect(read(folder, 'called.txt')).toContain('pr comment 7 --repo o/r --body-file ghostfleet/summary.md');
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
    const env = { ...job.variables, RUN: '0', COMPARE: '3', FAIL_IF: 'a > +1%', CI_DEFAULT_BRANCH: 'main' };
    expect(runScript(folder, job.script.join('\n'), env)).toBe(3);
    expect(read(folder, 'called.txt')).toContain('/jobs/artifacts/main/download?job=ghostfleet');
    expect(read(folder, 'ghostfleet/summary.md')).toBe('of the run\nof the comparison\n');
    expect(job.artifacts.paths).toEqual(['ghostfleet/run', 'ghostfleet/summary.md']);
  });

  it('is in the package with its script', () => {
    expect(JSON.parse(readFileSync('package.json', 'utf8')).files).toContain('deploy/ci');
  });
});
