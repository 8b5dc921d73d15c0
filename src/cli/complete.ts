/**
 * The answer to `ghostfleet --complete WORD…`, with which the scripts of `completion.ts` complete a command line: a candidate and
 * its description a line, and `:files` where the names of files fit too.
 */
import { readdirSync } from 'node:fs';
import yargs, { type Argv } from 'yargs';
import { EXIT, type ExitCode } from '../kernel/errors.js';
import { printableLine } from '../kernel/printable.js';
import { findPlaces, type Known } from './check-arguments.js';
import { COMMANDS, type ListedCommand } from './commands.js';
import { FILES } from './completion.js';
import { TOPICS } from './help-topics.js';
import type { Host } from './host.js';
import { listRows, type Subject } from './list.js';

/** A word, and what it means; without a meaning, it is empty. */
type Candidate = readonly [word: string, about: string];

/** What the arguments and options of these names take, in all commands. The shell adds its files to scenarios and profiles. */
const VALUES: Readonly<Record<string, Subject | 'runs' | undefined>> = {
  file: 'scenarios',
  files: 'scenarios',
  profile: 'profiles',
  profiles: 'profiles',
  run: 'runs',
  a: 'runs',
  b: 'runs',
  star: 'runs',
  unstar: 'runs',
  remove: 'runs',
  without: 'faults',
  'fail-if': 'metrics',
  figure: 'metrics',
};

/** Directories with more entries are not searched for runs. */
const MOST_ENTRIES = 1000;

/** Prints the candidates for the last word. @param words the words after the name of the program, up to the cursor */
export async function printCandidates(words: readonly string[], { out }: Host): Promise<ExitCode> {
  const { candidates, takesFiles } = await complete(words);
  out.write(candidates.map(([word, about]) => `${word}\t${about}\n`).join(''));
  if (takesFiles) out.write(`${FILES}\n`);
  return EXIT.fine;
}

interface Completion {
  readonly candidates: readonly Candidate[];
  /** Whether the names of files fit too. */
  readonly takesFiles: boolean;
}

async function complete(words: readonly string[]): Promise<Completion> {
  const [name = '', ...rest] = words;
  if (rest.length === 0) return only([...listCommands(), ['help', 'Explain a command or a topic']], name);
  if (name === 'help') {
    const topics = Object.entries(TOPICS).map(([topic, { about }]) => [topic, about] as const);
    return rest.length === 1 ? only([...topics, ...listCommands()], rest[0] ?? '') : NOTHING;
  }
  const command = COMMANDS.find((one) => one.name === name);
  return command === undefined ? NOTHING : completeCommand(command, rest);
}

function listCommands(): readonly Candidate[] {
  return COMMANDS.map(({ name, about }) => [name, about]);
}

async function completeCommand({ pattern, load }: ListedCommand, words: readonly string[]): Promise<Completion> {
  const { known, abouts } = inspect((await load()).build(yargs([])));
  const places = findPlaces(pattern);
  const options = Object.keys(known.key).filter((name) => !places.some((place) => place.name === name));
  const { before, current, lead } = splitAssignments(words);
  const takesValue = (word = '') => options.includes(word.slice(2)) && !known.boolean.includes(word.slice(2));
  const last = before.at(-1);
  if (takesValue(last)) return completeValue(last?.slice(2) ?? '', current, known, lead);
  if (current.startsWith('-')) {
    const free = options.filter((name) => known.array.includes(name) || !before.includes(`--${name}`));
    return only(
      free.map((name) => [`--${name}`, abouts[name] ?? '']),
      current,
    );
  }
  const typed = before.filter((word, i) => !word.startsWith('-') && !takesValue(before[i - 1]));
  const place = places[typed.length] ?? places.findLast(({ isList }) => isList);
  return place === undefined ? NOTHING : completeValue(place.name, current, known);
}

interface Split {
  readonly before: readonly string[];
  readonly current: string;
  /** What stands before the current value in the word that the shell completes, such as `--clock=`. */
  readonly lead: string;
}

/** Makes `--clock=r` two words. zsh and fish pass it as one word, bash as three. */
function splitAssignments(words: readonly string[]): Split {
  const [, lead = ''] = /^(--[^=]+=)/.exec(words.at(-1) ?? '') ?? [];
  const split = words.flatMap((word, i) => {
    if (word === '=') return i === words.length - 1 ? [''] : [];
    const [, name, value = ''] = /^(--[^=]+)=(.*)$/.exec(word) ?? [];
    return name === undefined ? [word] : [name, value];
  });
  return { before: split.slice(0, -1), current: split.at(-1) ?? '', lead };
}

async function completeValue(name: string, current: string, { choices }: Known, lead = ''): Promise<Completion> {
  const kind = VALUES[name];
  const words = choices[name];
  if (words !== undefined) return only(withoutAbout(words), current, lead);
  if (kind === undefined) return { candidates: [], takesFiles: lead === '' };
  if (kind === 'runs') {
    const { candidates } = only(withoutAbout(await findRuns(current)), current, lead);
    return { candidates, takesFiles: candidates.length === 0 };
  }
  const rows = listRows(kind);
  // Scenarios have short names too.
  const short =
    kind === 'scenarios' && current !== ''
      ? rows.map(([row, about]) => [row.replace(/^.*\//, ''), about] as const)
      : [];
  const { candidates } = only([...new Map([...short, ...rows])], current, lead);
  return { candidates, takesFiles: lead === '' && kind !== 'faults' && kind !== 'metrics' };
}

function withoutAbout(words: readonly string[]): readonly Candidate[] {
  return words.map((word) => [word, '']);
}

const NOTHING: Completion = { candidates: [], takesFiles: false };

/** The candidates that begin with the typed text. @param lead put before each */
function only(candidates: readonly Candidate[], current: string, lead = ''): Completion {
  const fitting = candidates.filter(([word]) => word.startsWith(current));
  return { candidates: fitting.map(([word, about]) => [lead + word, about]), takesFiles: false };
}

/** The folders of runs in the folder that is typed, and one level deeper: `runs/demo`. */
async function findRuns(current: string): Promise<readonly string[]> {
  const { isRunFolder } = await import('./run-folders.js');
  const [base = ''] = /^.*\//.exec(current) ?? [];
  return listFolders(base).flatMap((folder) =>
    isRunFolder(folder) ? [folder] : listFolders(`${folder}/`).filter(isRunFolder),
  );
}

/** @param base empty, or with a slash at its end */
function listFolders(base: string): readonly string[] {
  try {
    return readdirSync(base === '' ? '.' : base, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !/^\.|^node_modules$/.test(entry.name) && isOneWord(base + entry.name))
      .slice(0, MOST_ENTRIES)
      .map(({ name }) => base + name);
  } catch {
    return [];
  }
}

/** Whether a shell can take the name from a line of the answer as an argument, and not as an option. */
function isOneWord(path: string): boolean {
  return !path.startsWith('-') && printableLine(path) === path;
}

/** The declared options of a command, and their descriptions. */
function inspect(parser: Argv): {
  readonly known: Known;
  readonly abouts: Readonly<Record<string, string | undefined>>;
} {
  // The cast is needed because the types of yargs omit these methods.
  const open = parser as Argv & {
    getOptions(): Known;
    getInternalMethods(): {
      getUsageInstance(): { getDescriptions(): Readonly<Record<string, string | undefined>> };
    };
  };
  return { known: open.getOptions(), abouts: open.getInternalMethods().getUsageInstance().getDescriptions() };
}
