/**
 * Every scenario of the library meets its expectations, has expectations with numbers and invariants, and has a page whose
 * commands name existing files and variables. The expectations of a scenario check its behaviour, so this file does not.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fileOf, NAMES, numbersIn, pageOf, planIn, play, problemsOf } from '../../scripts/support/library.js';
import { ALWAYS, smallPlan } from './small-library.js';

const INDEX = readFileSync('docs/scenarios/README.md', 'utf8');

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

it.each(ALWAYS)('%s passes with a small fleet, and accounts for every downlink', async (name) => {
  expect(problemsOf(await play(smallPlan(name)))).toEqual([]);
});

describe.each(NAMES)('%s', (name) => {
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
