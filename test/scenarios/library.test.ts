/**
 * Every scenario of the library holds, says what it expects with numbers and invariants, and has a page whose commands work.
 * What a scenario is about is for its own expectations to prove; nothing of its course is pinned here.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fileOf, NAMES, numbersIn, pageOf, planIn, play, problemsOf } from '../../scripts/support/library.js';

/** The one that is also played over UDP: exchanges are cut in any state there is, and it is cheap. */
const ALSO_OVER_UDP = 'flapping-link';
/** Three days with at least three devices of each type: only the proof plays it. */
const LONG = 'soak';
const INDEX = readFileSync('docs/scenarios/README.md', 'utf8');

/** Smaller fleets: they run in a fraction of the time. `npm run prove -- library` plays the scenarios as they stand. */
const SMALL: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'api-poller': { devices: 6, modest: 12, rate: 4, limit: 80 },
  'battery-winter': { hill: 2, valley: 2, worn: 1 },
  'boot-storm': { valley: 30, hill: 30 },
  'config-rollout': { canary: 2, early: 2, rest: 4 },
  'flapping-link': { devices: 6 },
  'half-failed-firmware': { canary: 2, early: 5, shaky: 3, tired: 2, rest: 2, size: 16_384 },
  'noisy-neighbour': { quiet: 6, noisy: 2, flood: 2, limit: 60 },
  'poison-downlink': { each: 1 },
  'regional-outage': { patient: 8, eager: 4, south: 4 },
  'three-recoveries': { devices: 4 },
  'top-of-the-hour-herd': { devices: 10 },
  'two-firmwares': { loggers: 4 },
};

function smallPlan(name: string, vars: Readonly<Record<string, string>> = {}) {
  const values = Object.entries({ ...SMALL[name], ...vars }).map(([key, value]) => [key, String(value)] as const);
  return planIn(fileOf(name), new Map(values));
}

/** A number as pages show it: `1,234`, or a share as it is: `60%`. */
function shown(value: string): string {
  return value.endsWith('%') ? value : Number(value).toLocaleString('en');
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
  it.skipIf(name === LONG)('holds with a small fleet, comes to rest, and accounts for every downlink', async () => {
    const result = await play(smallPlan(name));
    expect(problemsOf(result)).toEqual([]);
    if (name === ALSO_OVER_UDP) expect((await play(smallPlan(name), 'udp')).digest).toBe(result.digest);
  });

  it('says what it is about, what must hold, and what to try next', () => {
    const plan = planIn(fileOf(name));
    expect(plan.scenario).toBe(name);
    expect(plan.about.length).toBeGreaterThan(80);
    expect(plan.expectations.filter((line) => 'invariant' in line).length).toBeGreaterThan(0);
    expect(plan.expectations.filter((line) => !('invariant' in line)).length).toBeGreaterThan(3);
    expect(plan.next.length).toBeGreaterThan(0);
  });

  it('has a page that shows its checked numbers', () => {
    const page = pageOf(name);
    const values = numbersIn(page).map((line) => shown(line.split(' == ')[1] ?? ''));
    const text = page.replace(/<!--.*?-->/gs, '');
    expect(values.filter((value) => !new RegExp(`(?<![\\d,])${value}(?![\\d,]\\d)`).test(text))).toEqual([]);
  });

  it('shows only commands that name files and variables that there are', () => {
    const page = pageOf(name);
    const shown = commandsIn(page);
    expect(shown.filter((command) => command.startsWith(`ghostfleet run ${fileOf(name)}`)).length).toBeGreaterThan(1);
    const lines = [...shown, ...commandsIn(readFileSync(fileOf(name), 'utf8')), ...planIn(fileOf(name)).next];
    for (const line of lines.filter((command) => command.startsWith('ghostfleet '))) expect(wrongWith(line)).toBe('');
  });
});

it('config-rollout halts at its first gate if the firmware refuses the configuration, and does not affect the other devices', async () => {
  const plan = smallPlan('config-rollout', { interval: '5' });
  const { exitCode, failure, downlinks } = await play(plan);
  expect(exitCode).toBe(3);
  expect(failure).toMatch(/waited 55m for "downlink\.answered of canary == fleet\.devices of canary"/);
  // The canaries' own.
  expect(downlinks.queued).toBe(plan.groups[0]?.count);
});

it('flapping-link holds with outages that are too short for a poll to fail', async () => {
  const { expectations, exitCode } = await play(smallPlan('flapping-link', { away: '1m' }));
  expect(expectations.flatMap(({ passed, sentence }) => (passed ? [] : sentence))).toEqual([]);
  expect(exitCode).toBe(0);
});

/** Lines of a page or a comment that are commands of ours. */
function commandsIn(text: string): readonly string[] {
  return [...text.matchAll(/^(?:# {4})?(ghostfleet .+)$/gm)].map(([, command = '']) => command);
}

/**
 * Why the scenario of a command cannot be read with its variables; nothing when it can, or names another file that is there.
 */
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
