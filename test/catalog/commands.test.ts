/**
 * Runs every command of every application on a device. Each printed line must be a published line, and each published line must
 * be printed by an example. After bad arguments, one of the printed lines must be a published complaint, and each published
 * complaint must be printed by an example. NOT_PRINTED (examples.ts) lists the exceptions.
 */
import { describe, expect, it } from 'vitest';
import { bench, type CatalogCommand, catalog } from './catalog.js';
import { EXAMPLES, type Example, NOT_PRINTED } from './examples.js';

/** A pattern for a whole line, made from a published line with `<placeholders>` and alternatives such as `a|b`. */
function pattern(line: string): RegExp {
  if (line === '(empty line)') return /^$/;
  const source = line
    .split(/(<[^>]+>|\w+(?:\|\w+)+|\.\.\.$|^\.\.\.|HH:MM:SS)/)
    .map((part) => {
      if (/^<.*>$/.test(part) || part === '...') return '.+';
      if (part === 'HH:MM:SS') return '\\d\\d:\\d\\d:\\d\\d';
      if (/^\w+(\|\w+)+$/.test(part)) return `(?:${part})`;
      return part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    })
    .join('');
  return new RegExp(`^${source}$`);
}

/** The lines that are published for a command. Empty if the catalog describes the output in prose. */
function publishedLines({ output, alternative = [] }: CatalogCommand): readonly string[] {
  return [...(typeof output === 'string' ? [] : output), ...alternative];
}

/** The complaints in a text such as "`a`, `b` -22". */
function complaints({ bad_args = '' }: CatalogCommand): readonly string[] {
  return [...bad_args.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text);
}

const exampleOf = (application: string, command: string): readonly Example[] =>
  EXAMPLES.filter((example) => example.command === command && (!example.of || example.of.includes(application)));

describe.each(catalog)('on a device of type %s,', (name, { commands }) => {
  it.each(commands.map((command) => [command.command, command] as const))(
    'the command "%s" prints the published lines',
    async (word, command) => {
      const lines = publishedLines(command);
      const wrong = complaints(command);
      const printed: string[] = [];
      const all = exampleOf(name, word);
      // Motion has two entries for one command, and only one of them lists complaints.
      const examples = wrong.length > 0 || command.alternative ? all : all.filter(({ code = 0 }) => code === 0);
      for (const { typed, config, code = 0, among, prepare } of examples) {
        const device = await bench(name, config);
        prepare?.(device.device);
        let last = { code: 0, lines: [] as readonly string[] };
        for (const line of [typed].flat()) last = await device.type(line);
        expect([typed, last.code]).toEqual([typed, code]);
        const expected = code === 0 ? lines : [...wrong, ...(command.alternative ?? [])];
        const known = expected.map(pattern);
        for (const line of last.lines) {
          const fits = known.some((one) => one.test(line));
          // Help follows a complaint, and output that is described in prose may be anything: neither is compared.
          if (fits || code !== 0 || among || lines.length === 0) printed.push(line);
          else expect([typed, line]).toEqual([typed, `one of ${expected.join(' / ')}`]);
        }
        if (command.output === 'none' && code === 0) expect([typed, last.lines]).toEqual([typed, []]);
        if (code !== 0)
          expect([typed, last.lines.some((line) => known.some((one) => one.test(line)))]).toEqual([typed, true]);
      }
      const missing = [...lines, ...wrong].filter((line) => !printed.some((text) => pattern(line).test(text)));
      const unexplained = missing.filter((line) => NOT_PRINTED[`${name} ${word}: ${line}`] === undefined);
      expect(unexplained).toEqual([]);
      expect(examples.length > 0 || NOT_PRINTED[`${name} ${word}`] !== undefined).toBe(true);
      for (const line of [...lines, ...wrong]) {
        if (!missing.includes(line)) expect(NOT_PRINTED).not.toHaveProperty([`${name} ${word}: ${line}`]);
      }
    },
  );
});

it('every example and every exception is about a command of the catalog', () => {
  const known = catalog.flatMap(([name, { commands }]) => commands.map(({ command }) => `${name} ${command}`));
  const used = EXAMPLES.filter(
    ({ command, of }) =>
      !known.some((one) => (of ?? [...catalog.map(([name]) => name)]).some((app) => one === `${app} ${command}`)),
  );
  expect(used).toEqual([]);
  for (const key of Object.keys(NOT_PRINTED)) expect(known.some((one) => key.startsWith(one))).toBe(true);
});
