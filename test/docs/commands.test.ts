/** The commands that the documents show: their options exist, and the scenarios and variables that they name can be planned. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ghostfleet } from '../support/host.js';

const DOCUMENTS = [
  'README.md',
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' }).flatMap((name) =>
    name.endsWith('.md') ? [`docs/${name}`] : [],
  ),
];

interface Shown {
  readonly line: string;
  readonly words: readonly string[];
}

/** The lines of code blocks that begin with the program. */
const commands = DOCUMENTS.flatMap((document) =>
  [...readFileSync(document, 'utf8').matchAll(/^```\w*\n(.*?)^```/gms)].flatMap(([, block = '']) =>
    block.split('\n').flatMap((line): Shown[] => {
      const [, command] = /^(?:\$ )?(?:[A-Z_]+=\S+ )*(?:npx )?ghostfleet (.*)$/.exec(line.trim()) ?? [];
      // Two spaces begin a comment.
      const [typed = ''] = command?.split(/ {2,}| &$/) ?? [];
      return command === undefined ? [] : [{ line: `${document}: ${typed}`, words: wordsOf(typed) }];
    }),
  ),
);

function wordsOf(command: string): readonly string[] {
  return [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

describe('the commands of the documents', () => {
  it('are found', () => {
    expect(commands.length).toBeGreaterThan(60);
  });

  it('have only options that exist', async () => {
    const helps = new Map<string, string>();
    const unknown: string[] = [];
    for (const { line, words } of commands) {
      const [name = ''] = words;
      const help = helps.get(name) ?? (await ghostfleet([name, '--help'])).out;
      helps.set(name, help);
      const options = words.flatMap((word) => /^--[a-z][a-z-]*/.exec(word)?.[0] ?? []);
      unknown.push(...options.filter((option) => !help.includes(option)).map((option) => `${line} (${option})`));
    }
    expect(unknown).toEqual([]);
  });

  const runs = commands.filter(
    ({ words }) =>
      /^(run|plan|validate)$/.test(words[0] ?? '') && /^(scenarios\/|demo$|library\/)/.test(words[1] ?? ''),
  );

  it('run packaged scenarios', () => {
    expect(runs.length).toBeGreaterThan(30);
  });

  it.each(runs)('can be planned: $line', async ({ words: [, file = '', ...options] }) => {
    const settings = options.flatMap((word, i) =>
      /^--(var|seed|firmware)$/.test(word) ? [word, options[i + 1] ?? ''] : [],
    );
    expect(await ghostfleet(['validate', file, ...settings.filter((_, i) => !isSeed(settings, i))])).toMatchObject({
      exit: 0,
      err: '',
    });
  });
});

/** Whether a word is the option --seed or its value, which "validate" does not have. */
function isSeed(words: readonly string[], i: number): boolean {
  return words[i] === '--seed' || words[i - 1] === '--seed';
}
