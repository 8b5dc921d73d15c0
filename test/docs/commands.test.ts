/**
 * Checks the commands in the documents: their options exist, and the scenarios and variables that they name can be planned.
 * commands.long.test.ts runs those that take milliseconds, and `npm run docs:check` all of them.
 */
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  argumentsOf,
  commandsOf,
  documents,
  missingLines,
  scenarioFiles,
  wordsOf,
} from '../../scripts/docs/commands.js';
import { ghostfleet } from '../support/host.js';
import { cheap, placeOf } from './commands-support.js';

const commands = [...documents(), ...scenarioFiles()].flatMap((page) => commandsOf(page));

describe('the commands of the documents', () => {
  it('are more than 120', () => {
    expect(commands.length).toBeGreaterThan(120);
  });

  it('have only options that exist', async () => {
    const helps = new Map<string, string>();
    const unknown: string[] = [];
    for (const command of commands) {
      const words = argumentsOf(command) ?? [];
      const [name = ''] = words;
      const help = helps.get(name) ?? (await ghostfleet([name, '--help'])).out;
      helps.set(name, help);
      const options = words.flatMap((word) => /^--[a-z][a-z-]*/.exec(word)?.[0] ?? []);
      unknown.push(
        ...options.filter((option) => !help.includes(option)).map((option) => `${placeOf(command)} (${option})`),
      );
    }
    expect(unknown).toEqual([]);
  });

  it('name scenarios that exist and variables that they can be planned with', async () => {
    const plans = new Map(
      commands.flatMap((command) => {
        const [verb = '', file = '', ...options] = argumentsOf(command) ?? [];
        if (!/^(run|plan|validate)$/.test(verb) || !/^(scenarios\/|demo$|library\/)/.test(file)) return [];
        const settings = options.flatMap((word, i) =>
          /^--(var|firmware)$/.test(word) ? [word, options[i + 1] ?? ''] : [],
        );
        return [[[file, ...settings].join(' '), { file, settings, place: placeOf(command) }] as const];
      }),
    );
    expect(plans.size).toBeGreaterThan(40);
    const invalid: string[] = [];
    for (const { file, settings, place } of plans.values()) {
      if (settings.length === 0) {
        // The tests of the packaged scenarios plan them without settings.
        const path = file.startsWith('scenarios/') ? file : `scenarios/${file}.yaml`;
        if (!existsSync(path)) invalid.push(`${place}: missing ${path}`);
        continue;
      }
      const { exit, err } = await ghostfleet(['validate', file, ...settings]);
      if (exit !== 0) invalid.push(`${place}: ${err}`);
    }
    expect(invalid).toEqual([]);
  });

  it('include, for each of nine verbs, a command that takes only milliseconds', () => {
    const verbs = new Set([...cheap.values()].flat().map((command) => argumentsOf(command)?.[0]));
    expect([...verbs].sort()).toEqual(
      ['compare', 'diverge', 'explain', 'inspect', 'list', 'plan', 'profile', 'run', 'validate'].sort(),
    );
  });
});

describe('the reader of commands', () => {
  const of = (...lines: readonly string[]) => commandsOf('page.md', ['```', ...lines, '```', ''].join('\n'));

  it('takes the exit code from the comment; without a comment, the exit code is 0', () => {
    const [fails, passes] = of(
      'ghostfleet run a.yaml --var x=1  # exit code 3: no network',
      'ghostfleet run a.yaml  # fine',
    );
    expect(fails).toMatchObject({ typed: 'ghostfleet run a.yaml --var x=1', exitCode: 3, line: 2 });
    expect(passes).toMatchObject({ typed: 'ghostfleet run a.yaml', exitCode: 0, line: 3 });
  });

  it('takes the lines of a transcript up to the next command as the output', () => {
    const [first, second] = of('$ ghostfleet serve &', '$ ghostfleet list profiles', 'clime', 'ghostfleet run a.yaml');
    expect(first).toMatchObject({ typed: 'ghostfleet serve', background: true, printed: [] });
    expect(second).toMatchObject({ background: false, printed: ['clime', 'ghostfleet run a.yaml'] });
  });

  it('joins lines that end with a backslash, and leaves out lines of other programs', () => {
    expect(of('curl -d 1 \\', '     localhost', 'less a.jsonl').map(({ typed }) => typed)).toEqual([
      'curl -d 1 localhost',
    ]);
  });

  it('reads the head and the next lines of a scenario', () => {
    const text = '#     ghostfleet plan a.yaml\nnext:\n  - "ghostfleet run a.yaml --var x=1  # exit code 3: y"\n';
    expect(commandsOf('a.yaml', text)).toMatchObject([
      { typed: 'ghostfleet plan a.yaml', exitCode: 0, line: 1 },
      { typed: 'ghostfleet run a.yaml --var x=1', exitCode: 3, line: 3 },
    ]);
  });

  it('keeps quoted words together', () => {
    expect(wordsOf("run a.yaml --var line='kernel uptime'")).toEqual(['run', 'a.yaml', '--var', 'line=kernel uptime']);
  });

  it('finds quoted lines in their order, with anything between them at an ellipsis', () => {
    expect(missingLines(['a', '…', 'c'], 'a\nb\nc\n')).toEqual([]);
    expect(missingLines(['c', 'a', 'x'], 'a\nb\nc\n')).toEqual(['a', 'x']);
  });
});
