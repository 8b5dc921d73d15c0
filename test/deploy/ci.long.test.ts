/** Further tests beside ci.test.ts. */
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ghostfleet } from '../support/host.js';
import { CHECK, FAKE, job, makeFolder, read, runScript, scriptOf } from './ci-support.js';

/** Makes the folder the working directory until the test has ended. */
function inFolder(folder: string): void {
  const before = process.cwd();
  process.chdir(folder);
  onTestFinished(() => process.chdir(before));
}

describe('the check of the action', () => {
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
  it('go on without a good run before', () => {
    const folder = makeFolder({ gh: 'exit 1' });
    const env = { GITHUB_REPOSITORY: 'o/r', GITHUB_WORKFLOW: 'fleet', BRANCH: 'main' };
    expect(runScript(folder, scriptOf('Get the runs of the default branch'), env)).toBe(0);
    expect(read(folder, 'called.txt')).not.toContain('download');
  });

  it('do not fail the job if the token may not comment', () => {
    const folder = makeFolder({ gh: 'exit 1' });
    mkdirSync(join(folder, 'ghostfleet/a'), { recursive: true });
    writeFileSync(join(folder, 'ghostfleet/a/summary.md'), 'all is well\n');
    const env = { NUMBER: '7', GITHUB_REPOSITORY: 'o/r', NAME: 'a' };
    expect(runScript(folder, scriptOf('Comment on the pull request'), env)).toBe(0);
  });
});

describe('the job for GitLab', () => {
  it('comments only with a token, on a merge request', () => {
    const folder = makeFolder({ curl: '' });
    const script = job.after_script.join('\n');
    expect(runScript(folder, script, {})).toBe(0);
    expect(existsSync(join(folder, 'called.txt'))).toBe(false);
    expect(runScript(folder, script, { GITLAB_TOKEN: 't', CI_MERGE_REQUEST_IID: '7' })).toBe(0);
    expect(read(folder, 'called.txt')).toContain('/merge_requests/7/notes');
  });
});
