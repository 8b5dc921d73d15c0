/** `ghostfleet runs`: lists runs with the trend of their figures, stars a baseline, and removes runs. */
import { resolve } from 'node:path';
import { quote } from '../input/problems.js';
import { EXIT, type ExitCode, messageOf, UsageError } from '../kernel/errors.js';
import { printableLine } from '../kernel/printable.js';
import { countOf } from '../kernel/quantity.js';
import { isBaseline, removeRunFolder, setBaseline } from '../library/run-files.js';
import type { Figure } from '../report/compare/condition.js';
import { defineCommand } from './command.js';
import { parseFigure } from './fail-if.js';
import { getTextWidth, type Host } from './host.js';
import { type FoundFolders, findRunFolders } from './run-folders.js';
import { findFlaws, makeKey, readRow, readRows, writeJson, writeText } from './run-list.js';
import { REPEATED } from './values.js';

interface RunsFlags {
  readonly folder: string | undefined;
  readonly figure: readonly string[];
  readonly star: string | undefined;
  readonly unstar: string | undefined;
  readonly remove: readonly string[] | undefined;
  readonly yes: boolean;
  readonly json: boolean;
}

const FIGURES = ['downlink.delivered p(50)', 'downlink.delivered p(95)'];

export const runs = defineCommand<RunsFlags>(
  (parser) =>
    parser
      .positional('folder', { type: 'string', describe: 'folder with runs, at any depth (default: the current one)' })
      .option('figure', {
        ...REPEATED,
        describe: `figure to list, as in conditions of compare; may be repeated (default: ${FIGURES.join(', ')})`,
      })
      .option('star', {
        type: 'string',
        requiresArg: true,
        describe: 'mark this run as the baseline for all runs that can be compared with it',
      })
      .option('unstar', { type: 'string', requiresArg: true, describe: 'remove the mark' })
      .option('remove', {
        type: 'string',
        array: true,
        requiresArg: true,
        describe: 'remove the files of these runs; other files stay',
      })
      .option('yes', { type: 'boolean', default: false, describe: 'remove without asking' })
      .option('json', { type: 'boolean', default: false, describe: 'print one JSON object instead of the table' }),
  execute,
);

async function execute(flags: RunsFlags, host: Host): Promise<ExitCode> {
  const { folder = '.', star, unstar, remove } = flags;
  if ([star, unstar, remove].filter((given) => given !== undefined).length > 1) {
    throw new UsageError('bad-flags', '--star, --unstar and --remove cannot be given together');
  }
  if (flags.yes && remove === undefined) throw new UsageError('bad-flags', '--yes requires --remove');
  const figures = readFigures(flags.figure.length === 0 ? FIGURES : flags.figure);
  const found = findRunFolders(folder);
  const named = findListed(remove ?? [star ?? unstar ?? []].flat(), found, folder);
  const [one = ''] = named;
  if (remove !== undefined) return removeRuns(named, flags.yes, host);
  if (star !== undefined) return markRun(one, found.runs, host);
  if (unstar !== undefined) return unmarkRun(one, host);
  if (found.isCut) host.err.write(`"${folder}" has too many folders to search all of them: name one further down\n`);
  const listing = { rows: readRows(found, figures), figures, folder };
  host.out.write(flags.json ? writeJson(listing) : writeText(listing, getTextWidth(host.out) ?? UNLIMITED));
  return EXIT.fine;
}

/** A line of a pipe is one run. */
const UNLIMITED = Number.MAX_SAFE_INTEGER;

/** @throws UsageError with all problems */
function readFigures(lines: readonly string[]): readonly Figure[] {
  const read = lines.map(parseFigure);
  const wrong = read.filter((one) => typeof one === 'string');
  if (wrong.length > 0) throw new UsageError('bad-figure', wrong.map((why) => `--figure ${why}`).join('\n'));
  return read.filter((one) => typeof one !== 'string');
}

/** Stars a run, instead of another one of the same scenario. */
function markRun(path: string, paths: readonly string[], host: Host): ExitCode {
  const row = readRow(path, []);
  const flaws = row.problem === undefined ? findFlaws(row) : [row.problem];
  if (row.problem !== undefined || flaws.length > 0) {
    throw new UsageError('no-baseline', `"${path}" cannot be a baseline: ${flaws.join('; ')}`);
  }
  for (const other of paths.filter((each) => each !== path && isBaseline(each))) {
    const before = readRow(other, []);
    if (before.problem === undefined && makeKey(before) === makeKey(row)) setBaseline(other, false);
  }
  setBaseline(path, true);
  host.out.write(`★ ${printableLine(path)} is the baseline of the scenario ${quote(row.runs[0]?.scenario)}\n`);
  return EXIT.fine;
}

function unmarkRun(path: string, host: Host): ExitCode {
  setBaseline(path, false);
  host.out.write(`${printableLine(path)} is not starred\n`);
  return EXIT.fine;
}

/** Asks first, and goes on after a run that cannot be removed. */
async function removeRuns(paths: readonly string[], yes: boolean, host: Host): Promise<ExitCode> {
  const starred = paths.filter(isBaseline);
  if (starred.length > 0) {
    throw new UsageError('starred', starred.map((path) => `"${path}" is starred: use --unstar first`).join('\n'));
  }
  if (!yes && !(await askUser(paths, host))) return EXIT.fine;
  const problems: string[] = [];
  for (const path of paths) {
    try {
      removeRunFolder(path);
    } catch (error) {
      problems.push(`"${path}" was not removed: ${messageOf(error)}`);
    }
  }
  host.out.write(`removed ${countOf(paths.length - problems.length, 'run')}\n`);
  if (problems.length > 0) throw new UsageError('cannot-remove', problems.join('\n'));
  return EXIT.fine;
}

/** @throws UsageError without a terminal */
async function askUser(paths: readonly string[], host: Host): Promise<boolean> {
  const terminal = host.terminal({
    prompt: `remove ${countOf(paths.length, 'run')}? [y/N] `,
    complete: async () => [],
  });
  if (terminal === undefined) throw new UsageError('bad-flags', 'without a terminal, --remove needs --yes');
  try {
    terminal.print(paths.map((path) => `  ${printableLine(path)}`));
    for await (const line of terminal.lines) return /^y(es)?$/i.test(line.trim());
    return false;
  } finally {
    terminal.close();
  }
}

/**
 * The folders of runs that are named: only what the list shows can be changed, so nothing behind a symbolic link.
 * @throws UsageError with all names that are not in the list
 */
function findListed(names: readonly string[], { runs: paths }: FoundFolders, folder: string): readonly string[] {
  const known = new Map(paths.map((path) => [resolve(path), path]));
  const unknown = names.filter((name) => !known.has(resolve(name)));
  if (unknown.length > 0) {
    const lines = unknown.map((name) => `"${name}" is not a run that "ghostfleet runs ${folder}" lists`);
    throw new UsageError(
      'no-run',
      lines.join('\n'),
      'name a run as the list shows it, after the folder that was listed',
    );
  }
  return [...new Set(names.map((name) => known.get(resolve(name)) ?? name))];
}
