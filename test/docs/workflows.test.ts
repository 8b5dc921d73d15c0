/** The workflows in .github/, and the template of a workflow, can be read, call only what exists, and name third-party code by its commit. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

interface Job {
  readonly uses?: string;
  readonly steps?: readonly { readonly uses?: string; readonly run?: string }[];
  readonly 'timeout-minutes'?: number;
}
interface Workflow {
  readonly on?: unknown;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const FOLDER = '.github/workflows';
const FILES = [...readdirSync(FOLDER).map((name) => `${FOLDER}/${name}`), 'templates/ghostfleet.yml'];
const WORKFLOWS = FILES.map((name) => {
  const text = readFileSync(name, 'utf8');
  const workflow: Workflow = parse(text);
  return { name, text, workflow };
});
const ACTION = readFileSync('action.yml', 'utf8');
const { scripts }: { readonly scripts: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync('package.json', 'utf8'),
);

/** The scripts of npm that a text runs: `build` for `npm run build`, `test` for `npm test`. */
function scriptsIn(text: string): readonly string[] {
  return [...text.matchAll(/\bnpm (?:(test)\b|run (?:-\S+ )*([\w:-]+))/g)].map(([, test, name]) => test ?? name ?? '');
}

/** What a text uses that can change without a change of this repository, such as an action by its tag. */
function unpinned(text: string): readonly string[] {
  return [...text.matchAll(/\buses: *(.*)$/gm)]
    .map(([, used = '']) => used.trim())
    .filter((used) => !used.startsWith('./') && !/^[\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(used));
}

describe.each(WORKFLOWS)('$name', ({ text, workflow }) => {
  const jobs = Object.values(workflow.jobs);

  it('has an event that starts it, and no rights beyond reading unless a job asks for them', () => {
    expect(workflow.on).toBeDefined();
    expect(workflow.permissions).toEqual({ contents: 'read' });
  });

  it('limits the time of each job', () => {
    expect(jobs.filter((job) => job.uses === undefined && job['timeout-minutes'] === undefined)).toEqual([]);
  });

  it('runs only scripts of package.json and files that exist', () => {
    expect(scriptsIn(text).filter((name) => !(name in scripts))).toEqual([]);
    const commands = jobs.flatMap(({ steps = [] }) => steps.flatMap(({ run = '' }) => run.split('\n')));
    const files = commands.flatMap((line) => /^\.\S+/.exec(line)?.[0] ?? []);
    expect(files.filter((path) => !existsSync(path))).toEqual([]);
    const workflows = jobs.flatMap(({ uses }) => uses ?? []);
    expect(workflows.filter((path) => !existsSync(path))).toEqual([]);
  });

  it('names actions by commit, with the version beside it', () => {
    expect(unpinned(text)).toEqual([]);
  });
});

it('the action names other actions by commit', () => {
  expect(unpinned(ACTION)).toEqual([]);
});

it('all workflows use the same commit of an action', () => {
  const texts = [...WORKFLOWS.map(({ text }) => text), ACTION].join('\n');
  const used = new Set([...texts.matchAll(/\buses: *([^.\s].*)$/gm)].map(([, action = '']) => action));
  const actions = [...used].map((action) => action.split('@')[0]);
  expect(actions.filter((action, i) => actions.indexOf(action) !== i)).toEqual([]);
});

it('the updates of dependencies can be read, and are for npm, actions and images', () => {
  const { updates } = parse(readFileSync('.github/dependabot.yml', 'utf8'));
  expect(updates.map((each: Readonly<Record<string, string>>) => each['package-ecosystem'])).toEqual([
    'npm',
    'github-actions',
    'docker',
  ]);
});

it('a script is found with options before and after its name', () => {
  expect(scriptsIn('npm ci; npm test\nA=1 npm run chaos -- kills && npm run --silent docs:check')).toEqual([
    'test',
    'chaos',
    'docs:check',
  ]);
});

it('an action by tag, by branch, by a short hash or without its version is found', () => {
  const hash = '3d3c42e5aac5ba805825da76410c181273ba90b1';
  const wrong = ['a/b@v4', 'a/b@main', 'a/b@3d3c42e', `a/b@${hash}`, 'docker://alpine:3'];
  const text = [...wrong, `a/b/c@${hash} # v1.2.3`, './x.yml'].map((used) => `- uses: ${used}`).join('\n');
  expect(unpinned(text)).toEqual(wrong);
});
