/** `ghostfleet compare`: shows whether runs of a scenario differ from others by more than chance explains. */
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readRegular } from '../input/text-file.js';
import { type ExitCode, UsageError } from '../kernel/errors.js';
import { isDirectory } from '../kernel/write-files.js';
import { EVENTS_FILE, isSeedDirectory } from '../library/run-files.js';
import { readSummary } from '../report/compare/read.js';
import { type ComparedRun, findMisfit, findObjections, type Side, withoutSpoiled } from '../report/compare/side.js';
import { REPORT_FILES } from '../report/renderers/index.js';
import { defineCommand } from './command.js';
import { addComparisonOptions, type ComparisonFlags, readConditions, showComparison } from './comparison.js';
import type { Host } from './host.js';
import { computeDigest } from './read-run.js';

interface CompareFlags extends ComparisonFlags {
  readonly a: string;
  readonly b: string;
  readonly force: boolean;
}

export const compare = defineCommand<CompareFlags>(
  (parser) =>
    addComparisonOptions(
      parser
        .positional('a', {
          type: 'string',
          demandOption: true,
          describe: 'directory of a run or of several runs (--seeds, --out), or the summary.json of a run',
        })
        .positional('b', { type: 'string', demandOption: true, describe: 'the same for the other side' })
        .option('force', {
          type: 'boolean',
          default: false,
          describe: 'compare the runs even if they are not comparable',
        }),
    ),
  execute,
);

async function execute(flags: CompareFlags, host: Host): Promise<ExitCode> {
  const conditions = readConditions(flags);
  const { a, b, remarks } = withoutSpoiled(readSide(flags.a), readSide(flags.b));
  const misfit = findMisfit(a, b);
  if (misfit !== undefined) throw new UsageError('not-comparable', [misfit, ...remarks].join('; '));
  const against = [...findObjections(a, b), ...[...a.runs, ...b.runs].flatMap(findForeignEvents)];
  if (against.length > 0 && !flags.force) {
    throw new UsageError(
      'not-comparable',
      `the runs cannot be compared: ${against.join('; ')}`,
      'use --force to compare them anyway',
    );
  }
  return showComparison({ sides: [a, b], conditions, remarks: [...remarks, ...against] }, flags, host);
}

/** @throws UsageError for a path without runs, and a run without a summary */
function readSide(path: string): Side {
  const seeds = isDirectory(path) && !existsSync(findSummary(path)) ? listSeeds(path) : [];
  const folders = seeds.length === 0 ? [path] : seeds.map((seed) => join(path, seed));
  return { name: path, runs: folders.map(readRun) };
}

/** The directories of the seeds, in their order. @throws UsageError without any */
function listSeeds(path: string): readonly string[] {
  const seeds = readdirSync(path).filter(isSeedDirectory);
  if (seeds.length === 0) {
    throw new UsageError(
      'no-run',
      `"${path}" is not a run: it has neither a ${REPORT_FILES.json} nor directories of seeds`,
      'use the directory of "run --out"',
    );
  }
  return seeds.sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
}

function readRun(path: string): ComparedRun {
  return readSummary(readRegular(findSummary(path)), path);
}

function findSummary(path: string): string {
  return isDirectory(path) ? join(path, REPORT_FILES.json) : path;
}

/** An objection if the event log beside a summary is not the one from which the summary was computed. */
function findForeignEvents({ name, digest }: ComparedRun): readonly string[] {
  const summary = findSummary(name);
  const events = join(dirname(summary), EVENTS_FILE);
  if (digest === null || basename(summary) !== REPORT_FILES.json || !existsSync(events)) return [];
  const found = computeDigest(events, digest.length);
  if (found === digest) return [];
  return [`the summary and the events of "${name}" are of different runs: their digests are ${digest} and ${found}`];
}
