/**
 * Every scenario of the library holds as it stands, says what it expects with numbers and invariants, and has a page whose commands
 * work. What a scenario is about is for its own expectations to prove; nothing of its course is pinned here.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { planOf } from '../../src/cli/read-files.js';
import { packagedProfiles } from '../../src/profile/library.js';
import type { RunResult } from '../../src/report/result.js';
import { type RunOptions, run } from '../../src/runner/run.js';
import type { Plan } from '../../src/scenario/model/plan.js';
import { QUIET } from '../support/cloud.js';

const profiles = packagedProfiles();
const NAMES = readdirSync('scenarios/library').flatMap((file) => (file.endsWith('.yaml') ? [file.slice(0, -5)] : []));
/** The one that is also played over UDP: exchanges are cut in any state there is, and it is cheap. */
const ALSO_OVER_UDP = 'flapping-link';
/** Each takes two or three seconds of a core, which is more where others want it, too. */
const BUSY_MACHINE = 120_000;
const INDEX = readFileSync('docs/scenarios/README.md', 'utf8');

const fileOf = (name: string) => `scenarios/library/${name}.yaml`;
const pageOf = (name: string) => `docs/scenarios/${name}.md`;

/** Plans by file, variables and further expectations: the same command is shown in several places. */
const plans = new Map<string, Plan>();

/** @param also further expectations */
function planIn(file: string, vars: ReadonlyMap<string, string> = new Map(), also: readonly string[] = []): Plan {
  const key = JSON.stringify([file, [...vars], also]);
  const known = plans.get(key);
  if (known) return known;
  const lines = ['expect:', ...also.map((line) => `  - ${line}`)];
  const text = readFileSync(file, 'utf8').replace(/^expect:$/m, lines.join('\n'));
  const { plan } = planOf(text, file, { profiles, vars });
  plans.set(key, plan);
  return plan;
}

/** Numbers of a page, each as an expectation: `<!-- checked: uplink.made == 3677; uplink.dropped == 0 -->`. */
function numbersIn(page: string): readonly string[] {
  return [...page.matchAll(/^<!-- checked: (.*) -->$/gm)].flatMap(([, list = '']) => list.split('; '));
}

/** A number as pages show it: `1,234`, or a share as it is: `60%`. */
function shown(value: string): string {
  return value.endsWith('%') ? value : Number(value).toLocaleString('en');
}

function play(plan: Plan, transport: RunOptions['transport'] = 'memory'): Promise<RunResult> {
  return run({
    ...{ plan, profiles, clock: 'virtual', speed: 1, transport, db: 'memory', sinks: [] },
    ...{ log: QUIET, reproduce: 'again', out: null, stopwatch: () => 0 },
  });
}

describe('the library of scenarios', () => {
  it('has a page for each scenario and a scenario for each page, and an index of them', () => {
    const pages = readdirSync('docs/scenarios').filter((file) => file !== 'README.md');
    expect(pages.sort()).toEqual(NAMES.map((name) => `${name}.md`).sort());
    const linked = [...INDEX.matchAll(/^\| \[([a-z-]+)\]\(([a-z-]+)\.md\) \|/gm)].map(([, name, page]) => [name, page]);
    expect(linked).toEqual(linked.map(([name]) => [name, name]));
    expect(linked.map(([name]) => name).sort()).toEqual(NAMES.toSorted());
  });
});

describe.each(NAMES)('%s', (name) => {
  it(
    'holds, comes to rest, accounts for every downlink, and gives the numbers of its page',
    async () => {
      const numbers = numbersIn(readFileSync(pageOf(name), 'utf8'));
      const { expectations, failure, downlinks, exitCode, digest } = await play(
        planIn(fileOf(name), undefined, numbers),
      );
      const broken = expectations.flatMap(({ passed, sentence }) => (passed ? [] : sentence));
      expect({ failure, broken, exitCode }).toEqual({ failure: null, broken: [], exitCode: 0 });
      const { queued, answered, delivered, pending, cancelled, expired } = downlinks;
      expect(answered + delivered + pending + cancelled + expired).toBe(queued);
      if (name === ALSO_OVER_UDP) expect((await play(planIn(fileOf(name)), 'udp')).digest).toBe(digest);
    },
    BUSY_MACHINE,
  );

  it('says what it is about, what must hold, and what to try next', () => {
    const plan = planIn(fileOf(name));
    expect(plan.scenario).toBe(name);
    expect(plan.about.length).toBeGreaterThan(80);
    expect(plan.expectations.filter((line) => 'invariant' in line).length).toBeGreaterThan(0);
    expect(plan.expectations.filter((line) => !('invariant' in line)).length).toBeGreaterThan(3);
    expect(plan.next.length).toBeGreaterThan(0);
  });

  it('has a page that shows its checked numbers', () => {
    const page = readFileSync(pageOf(name), 'utf8');
    const values = numbersIn(page).map((line) => shown(line.split(' == ')[1] ?? ''));
    const text = page.replace(/<!--.*?-->/gs, '');
    expect(values.filter((value) => !new RegExp(`(?<![\\d,])${value}(?![\\d,]\\d)`).test(text))).toEqual([]);
  });

  it('shows only commands that name files and variables that there are', () => {
    const page = readFileSync(pageOf(name), 'utf8');
    const shown = commandsIn(page);
    expect(shown.filter((command) => command.startsWith(`ghostfleet run ${fileOf(name)}`)).length).toBeGreaterThan(1);
    const lines = [...shown, ...commandsIn(readFileSync(fileOf(name), 'utf8')), ...planIn(fileOf(name)).next];
    for (const line of lines.filter((command) => command.startsWith('ghostfleet '))) expect(wrongWith(line)).toBe('');
  });
});

it('config-rollout halts at its first gate if the firmware refuses the configuration, and does not affect the other devices', async () => {
  const plan = planIn(fileOf('config-rollout'), new Map([['interval', '5']]));
  const { exitCode, failure, downlinks } = await play(plan);
  expect(exitCode).toBe(3);
  expect(failure).toMatch(/waited 55m for "downlink\.answered of canary == fleet\.devices of canary"/);
  // The canaries' own.
  expect(downlinks.queued).toBe(plan.groups[0]?.count);
});

it('flapping-link holds with outages that are too short for a poll to fail', async () => {
  const vars = new Map([
    ['away', '1m'],
    ['devices', '20'],
  ]);
  const { expectations, exitCode } = await play(planIn(fileOf('flapping-link'), vars));
  expect(expectations.flatMap(({ passed, sentence }) => (passed ? [] : sentence))).toEqual([]);
  expect(exitCode).toBe(0);
});

/** Lines of a page or a comment that are commands of ours. */
function commandsIn(text: string): readonly string[] {
  return [...text.matchAll(/^(?:# {4})?(ghostfleet .+)$/gm)].map(([, command = '']) => command);
}

/** Why the scenario of a command cannot be read with its variables; nothing when it can, or names another file that is there. */
function wrongWith(command: string): string {
  const [, file] = /\s(scenarios\/\S+)/.exec(command) ?? [];
  if (file === undefined) return '';
  if (!existsSync(file)) return `${file} does not exist`;
  const vars = new Map([...command.matchAll(/--var ([\w-]+)=(\S+)/g)].map(([, key = '', value = '']) => [key, value]));
  try {
    planIn(file, vars);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}
