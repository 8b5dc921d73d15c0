/**
 * The commands that the documents show. A code block shows either commands, or a transcript: commands after `$ `, and what they
 * print. A command ends with exit code 0 unless its comment names another: `ghostfleet run my.yaml  # exit code 3`.
 *
 * Blocks of language `sh` are scripts and are not read here. test/docs/api.test.ts runs those of docs/API.md.
 */
import { readdirSync, readFileSync } from 'node:fs';

export interface DocumentCommand {
  /** Path of the document. */
  readonly page: string;
  /** Number of its line, from 1. */
  readonly line: number;
  /** The command as a user types it, without prompt, comment and `&`. */
  readonly typed: string;
  /** Whether the command ends with `&`. */
  readonly background: boolean;
  /** The exit code that the document promises. */
  readonly exitCode: number;
  /** Lines of a transcript up to the next command; `…` stands for any lines. */
  readonly printed: readonly string[];
}

/** The documents whose commands are checked. */
export function documents(): readonly string[] {
  const pages = readdirSync('docs', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
  return ['README.md', ...pages.map((name) => `docs/${name}`).sort()];
}

/** The scenarios of the library and the demo: their heads and their `next` lines show commands as well. */
export function scenarioFiles(): readonly string[] {
  const library = readdirSync('scenarios/library').filter((name) => name.endsWith('.yaml'));
  return ['scenarios/demo.yaml', ...library.map((name) => `scenarios/library/${name}`).sort()];
}

/** All commands of a document or a scenario, in their order. @param text read from the file unless it is given */
export function commandsOf(page: string, text: string = readFileSync(page, 'utf8')): readonly DocumentCommand[] {
  if (page.endsWith('.yaml')) {
    return text.split('\n').flatMap((line, i) => {
      const shown = /^(?:# {4,}| {2}- "?)((?:npx )?ghostfleet .*?)"?$/.exec(line)?.[1];
      return shown === undefined ? [] : commandIn(shown, { page, line: i + 1, printed: [] });
    });
  }
  return blocksOf(text).flatMap(({ language, first, lines }) => {
    if (language !== '' && language !== 'console') return [];
    const isTranscript = lines.some((line) => line.startsWith('$ '));
    return lines.flatMap((line, i) => {
      if (isTranscript !== line.startsWith('$ ')) return [];
      const rest = lines.slice(i + 1);
      const next = rest.findIndex((other) => other.startsWith('$ '));
      const printed = isTranscript ? (next < 0 ? rest : rest.slice(0, next)) : [];
      return commandIn(continued([line, ...rest]).replace(/^\$ /, ''), { page, line: first + i, printed });
    });
  });
}

/** The command of a line; empty if the line does not begin with a command that is checked. */
function commandIn(
  shown: string,
  where: Pick<DocumentCommand, 'page' | 'line' | 'printed'>,
): readonly DocumentCommand[] {
  if (!PROGRAM.test(shown)) return [];
  const [, command = '', comment = ''] = /^(.*?)(?:\s+# (.*))?$/.exec(shown) ?? [];
  return [
    {
      ...where,
      typed: command.replace(/\s*&$/, ''),
      background: command.endsWith('&'),
      exitCode: Number(/\bexit code (\d+)/.exec(comment)?.[1] ?? 0),
    },
  ];
}

interface Block {
  readonly language: string;
  /** Number of its first line in the document. */
  readonly first: number;
  readonly lines: readonly string[];
}

function blocksOf(text: string): readonly Block[] {
  const blocks: Block[] = [];
  let open: { language: string; first: number; lines: string[] } | undefined;
  for (const [i, line] of text.split('\n').entries()) {
    const fence = /^```(\w*)/.exec(line);
    if (fence === null) open?.lines.push(line);
    else if (open === undefined) open = { language: fence[1] ?? '', first: i + 2, lines: [] };
    else {
      blocks.push(open);
      open = undefined;
    }
  }
  return blocks;
}

/** Beginning of a line with a command that is checked; settings of the environment may precede it. */
const PROGRAM = /^(?:[A-Z_]+=\S+ )*(?:npx ghostfleet|ghostfleet|npm|curl) /;

/** The first line, joined with the next one as long as a line ends with a backslash. */
function continued([line = '', ...rest]: readonly string[]): string {
  return line.endsWith('\\') ? `${line.slice(0, -1)}${continued(rest).trimStart()}` : line;
}

/** The words of a command after the shell has removed quotation marks. */
export function wordsOf(typed: string): readonly string[] {
  return [...typed.matchAll(/((?:'[^']*'|[^\s'])+)/g)].map(([word]) => word.replaceAll("'", ''));
}

/** The arguments of `ghostfleet`; undefined if the command is another one. */
export function argumentsOf({ typed }: DocumentCommand): readonly string[] | undefined {
  const command = /^(?:[A-Z_]+=\S+ )*(?:npx )?ghostfleet (.*)$/.exec(typed)?.[1];
  return command === undefined ? undefined : wordsOf(command);
}

/** The lines of a transcript that the output lacks. The lines must have the same order in both. */
export function missingLines(printed: readonly string[], output: string): readonly string[] {
  const lines = output.split('\n').map((line) => line.trimEnd());
  let at = 0;
  return printed.filter((line) => {
    if (line.trim() === '…' || line.trim() === '') return false;
    const found = lines.indexOf(line.trimEnd(), at);
    if (found >= 0) at = found + 1;
    return found < 0;
  });
}

/** Scenarios that a document shows, by name: blocks of YAML that begin with `name: `. */
export function scenariosOf(text: string): ReadonlyMap<string, string> {
  return new Map(
    blocksOf(text).flatMap(({ language, lines }) => {
      const name = language === 'yaml' ? /^name: (\S+)/.exec(lines[0] ?? '')?.[1] : undefined;
      return name === undefined ? [] : [[name, `${lines.join('\n')}\n`] as const];
    }),
  );
}
