/**
 * Every scenario of the library meets its expectations, has expectations with numbers and invariants, and has a page whose
 * commands name existing files and variables. The expectations of a scenario check its behaviour, so this file does not.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fileOf, NAMES, numbersIn, pageOf, planIn, play, problemsOf } from '../../scripts/support/library.js';

/** The scenario that also runs over UDP: its outages interrupt exchanges in every state, and it takes little time. */
const ALSO_OVER_UDP = 'flapping-link';
/** This scenario is three days long and has at least three devices of each type, so only `npm run prove -- library` runs it. */
const LONG = 'soak';
const INDEX = readFileSync('docs/scenarios/README.md', 'utf8');

/** Variables for smaller fleets, which take a fraction of the time. `npm run prove -- library` runs the scenarios unchanged. */
const SMALL: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'api-poller': { devices: 3, modest: 6, rate: 2, limit: 40 },
  'battery-winter': { hill: 1, valley: 1, worn: 1 },
  'boot-storm': { valley: 12, hill: 10 },
  'config-rollout': { canary: 2, early: 2, rest: 2 },
  'flapping-link': { devices: 6 },
  'half-failed-firmware': { canary: 2, early: 5, shaky: 3, tired: 2, rest: 2, size: 8192 },
  'noisy-neighbour': { quiet: 3, noisy: 1, flood: 1, limit: 40 },
  'poison-downlink': { each: 1 },
  'regional-outage': { patient: 4, eager: 2, south: 2 },
  'three-recoveries': { devices: 4 },
  'top-of-the-hour-herd': { devices: 5 },
  'two-firmwares': { loggers: 4 },
};

function smallPlan(name: string, vars: Readonly<Record<string, string>> = {}) {
  const values = Object.entries({ ...SMALL[name], ...vars }).map(([key, value]) => [key, String(value)] as const);
  return planIn(fileOf(name), new Map(values));
}

/** A number in the form in which pages show it: `1,234`, or `60%` for a share. */
function shown(value: string): string {
  return value.endsWith('%') ? value : Number(value).toLocaleString('en');
}

describe('the library of scenarios', () => {
  it('has a page for each scenario, a scenario for each page, and an index of all pages', () => {
    const pages = readdirSync('docs/scenarios').filter((file) => file !== 'README.md');
    expect(pages.sort()).toEqual(NAMES.map((name) => `${name}.md`).sort());
    const linked = [...INDEX.matchAll(/^\| \[([a-z-]+)\]\(([a-z-]+)\.md\) \|/gm)].map(([, name, page]) => [name, page]);
    expect(linked).toEqual(linked.map(([name]) => [name, name]));
    expect(linked.map(([name]) => name).sort()).toEqual(NAMES.toSorted());
  });
});

describe.each(NAMES)('%s', (name) => {
  it.skipIf(name === LONG)('passes with a small fleet, and accounts for every downlink', async () => {
    const result = await play(smallPlan(name));
    expect(problemsOf(result)).toEqual([]);
    if (name === ALSO_OVER_UDP) expect((await play(smallPlan(name), 'udp')).digest).toBe(result.digest);
  });

  it('has a description, expectations, and commands to try next', () => {
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

  it('shows only commands whose files and variables exist', () => {
    const page = pageOf(name);
    const shown = commandsIn(page);
    expect(shown.filter((command) => command.startsWith(`ghostfleet run ${fileOf(name)}`)).length).toBeGreaterThan(1);
    const lines = [...shown, ...commandsIn(readFileSync(fileOf(name), 'utf8')), ...planIn(fileOf(name)).next];
    for (const line of lines.filter((command) => command.startsWith('ghostfleet '))) expect(wrongWith(line)).toBe('');
  });
});

it('config-rollout stops at its first gate if the firmware refuses the configuration, and does not affect the other devices', async () => {
  const plan = smallPlan('config-rollout', { interval: '5' });
  const { exitCode, failure, downlinks } = await play(plan);
  expect(exitCode).toBe(3);
  expect(failure).toMatch(/waited 55m for "downlink\.answered of canary == fleet\.devices of canary"/);
  // Only the downlinks of the canary group were queued.
  expect(downlinks.queued).toBe(plan.groups[0]?.count);
});

it('flapping-link passes with outages that are too short for a poll to fail', async () => {
  const { expectations, exitCode } = await play(smallPlan('flapping-link', { away: '1m' }));
  expect(expectations.flatMap(({ passed, sentence }) => (passed ? [] : sentence))).toEqual([]);
  expect(exitCode).toBe(0);
});

/** The lines of a page or a comment that are commands of ghostfleet. */
function commandsIn(text: string): readonly string[] {
  return [...text.matchAll(/^(?:# {4})?(ghostfleet .+)$/gm)].map(([, command = '']) => command);
}

/**
 * Why the scenario of a command cannot be read with its variables; an empty text if it can, or if the command names no
 * scenario.
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
