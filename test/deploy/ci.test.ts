/** The action for GitHub and the job for GitLab: their scripts run, with stand-ins for `npx`, `gh`, `curl` and the network. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { folderOfTest } from '../support/folder-of-test.js';
import { ghostfleet } from '../support/host.js';

interface Step {
  readonly name?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}
const action: {
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly runs: { readonly steps: readonly Step[] };
} = parse(readFileSync('action.yml', 'utf8'));
const { ghostfleet: job } = parse(readFileSync('deploy/ci/gitlab.yml', 'utf8'));

/** A folder with stand-ins in `bin`. Each writes its arguments to `called.txt`. */
function makeFolder(standIns: Readonly<Record<string, string>>): string {
  const folder = folderOfTest();
  mkdirSync(join(folder, 'bin'));
  for (const [name, body] of Object.entries(standIns)) {
    writeFileSync(join(folder, 'bin', name), `#!/bin/sh\necho "${name} $*" >> called.txt\n${body}\n`, { mode: 0o755 });
  }
  return folder;
}

function runScript(folder: string, script: string, env: Readonly<Record<string, string>>): number | null {
  const path = `${join(folder, 'bin')}:${process.env.PATH}`;
  const summary = join(folder, 'step-summary.md');
  const all = { PATH: path, GITHUB_ACTION_PATH: resolve('.'), GITHUB_STEP_SUMMARY: summary, ...env };
  return spawnSync('bash', ['-e', '-o', 'pipefail', '-c', script], { cwd: folder, env: all }).status;
}

/** Makes the folder the working directory until the test has ended. */
function inFolder(folder: string): void {
  const before = process.cwd();
  process.chdir(folder);
  onTestFinished(() => process.chdir(before));
}

const read = (folder: string, name: string) => readFileSync(join(folder, name), 'utf8');
const scriptOf = (name: string) => action.runs.steps.find((step) => step.name === name)?.run ?? '';
const CHECK = scriptOf('Run and compare');

/** `npx` in place of ghostfleet, which ends with the exit codes in RUN and COMPARE. */
const FAKE = `
case "$*" in
  *" run "*) mkdir -p ghostfleet/run; touch ghostfleet/run/seeds.json; echo "of the run" > ghostfleet/run.md; exit $RUN;;
  *" compare ghostfleet/run ghostfleet/run "*) [ -z "$CHECK" ] && exit 0
    echo "wrong condition" >&2; exit $CHECK;;
  *" compare "*) [ "$COMPARE" = 2 ] && { echo "not comparable" >&2; exit 2; }
    echo "of the comparison" > ghostfleet/comparison.md; exit $COMPARE;;
esac`;

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

  it.each([
    { run: 0, compare: 0, failIf: '', exit: 0 },
    { run: 3, compare: 0, failIf: '', exit: 3 },
    { run: 5, compare: 0, failIf: 'a > +1%', exit: 5 },
    // Without a condition, a difference is shown only.
    { run: 0, compare: 3, failIf: '', exit: 0 },
    { run: 0, compare: 3, failIf: 'a > +1%\nb > +2%', exit: 3 },
    { run: 0, compare: 4, failIf: 'a > +1%', exit: 4 },
    // The scenario has changed.
    { run: 0, compare: 2, failIf: 'a > +1%', exit: 0 },
    // The comparison itself has failed.
    { run: 0, compare: 1, failIf: 'a > +1%', exit: 1 },
  ])(
    'ends with $exit if the run ends with $run and the comparison with $compare, with the conditions "$failIf"',
    (one) => {
      const folder = makeFolder({ npx: FAKE });
      mkdirSync(join(folder, 'ghostfleet/before/run'), { recursive: true });
      const env = { SCENARIO: 'x.yaml', FAIL_IF: one.failIf, RUN: String(one.run), COMPARE: String(one.compare) };
      expect(runScript(folder, CHECK, env)).toBe(one.exit);
      expect(read(folder, 'ghostfleet/summary.md')).toContain(
        one.compare === 2 ? 'not comparable' : 'of the comparison',
      );
      const flags = one.failIf.split('\n').flatMap((line) => (line === '' ? [] : [` --fail-if ${line}`]));
      expect(read(folder, 'called.txt')).toContain(`--markdown ghostfleet/comparison.md${flags.join('')}\n`);
    },
  );

  it.each([
    { check: '2', exit: 2 },
    { check: '1', exit: 1 },
    { check: '4', exit: 0 },
  ])('ends with $exit without earlier runs if the conditions end with $check', ({ check, exit }) => {
    const folder = makeFolder({ npx: FAKE });
    const env = { SCENARIO: 'a.yaml', FAIL_IF: '\n  \na > +1%\n', RUN: '0', COMPARE: '0', CHECK: check };
    expect(runScript(folder, CHECK, env)).toBe(exit);
    expect(read(folder, 'called.txt')).toMatch(
      / compare ghostfleet\/run ghostfleet\/run --force --fail-if a > \+1%\n$/,
    );
    expect(read(folder, 'ghostfleet/summary.md').includes('wrong condition')).toBe(exit !== 0);
  });

  it('gives the program arguments that it takes: a run, a check of the conditions, and a comparison', async () => {
    // The stand-in for npx only writes down its arguments, and this process carries them out.
    const folder = makeFolder({});
    const calls = join(folder, 'calls.txt');
    writeFileSync(join(folder, 'bin', 'npx'), `#!/bin/sh\nprintf '%s\\n' "$@" end >> ${calls}\n${FAKE}\n`, {
      mode: 0o755,
    });
    mkdirSync(join(folder, 'ghostfleet/before/run'), { recursive: true });
    const env = { SCENARIO: 'small.yaml', SEEDS: '3', FAIL_IF: 'uplink.stored > +10%', RUN: '0', COMPARE: '0' };
    expect(runScript(folder, CHECK, env)).toBe(0);
    const [run = [], ...comparisons] = read(folder, 'calls.txt')
      .split('end\n')
      .map((call) => call.trimEnd().split('\n').slice(2))
      .filter((call) => call.length > 0);
    expect(comparisons).toHaveLength(2);
    const lines = [
      'name: small',
      'duration: 40m',
      'fleet: [{ name: clime, profile: clime, count: 3 }]',
      'expect: [device.ready == 3]',
    ];
    writeFileSync(join(folder, 'small.yaml'), lines.join('\n'));
    inFolder(folder);
    expect(await ghostfleet(run)).toMatchObject({ exit: 0 });
    cpSync('ghostfleet/run', 'ghostfleet/before/run', { recursive: true });
    for (const comparison of comparisons) expect(await ghostfleet(comparison)).toMatchObject({ exit: 0 });
    const summary = read(folder, 'ghostfleet/run.md') + read(folder, 'ghostfleet/comparison.md');
    expect(summary).toContain('### small: passed · 3 of 3 runs passed');
    expect(summary).toContain('| ✓ | device.ready == 3 | 3 of 3 |');
    expect(summary).toContain('Fails if:');
    const wrong = comparisons.map((call) => call.map((word) => word.replace('uplink.stored', 'uplink.stord')));
    expect(await ghostfleet(wrong[0] ?? [])).toMatchObject({ exit: 2 });
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

  it('go on without a good run before', () => {
    const folder = makeFolder({ gh: 'exit 1' });
    const env = { GITHUB_REPOSITORY: 'o/r', GITHUB_WORKFLOW: 'fleet', BRANCH: 'main' };
    expect(runScript(folder, scriptOf('Get the runs of the default branch'), env)).toBe(0);
    expect(read(folder, 'called.txt')).not.toContain('download');
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

  it('do not fail the job if the token may not comment', () => {
    const folder = makeFolder({ gh: 'exit 1' });
    expect(runScript(folder, scriptOf('Comment on the pull request'), { NUMBER: '7', GITHUB_REPOSITORY: 'o/r' })).toBe(
      0,
    );
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

  it('comments only with a token, on a merge request', () => {
    const folder = makeFolder({ curl: '' });
    const script = job.after_script.join('\n');
    expect(runScript(folder, script, {})).toBe(0);
    expect(existsSync(join(folder, 'called.txt'))).toBe(false);
    expect(runScript(folder, script, { GITLAB_TOKEN: 't', CI_MERGE_REQUEST_IID: '7' })).toBe(0);
    expect(read(folder, 'called.txt')).toContain('/merge_requests/7/notes');
  });

  it('is in the package with its script', () => {
    expect(JSON.parse(readFileSync('package.json', 'utf8')).files).toContain('deploy/ci');
  });
});
