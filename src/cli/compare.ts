/** `ghostfleet compare`: shows whether runs of a scenario differ from others by more than chance explains. */
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type ExitCode, UsageError } from '../kernel/errors.js';
import { EVENTS_FILE } from '../library/run-files.js';
import { type ComparedRun, findMisfit, findObjections, withoutSpoiled } from '../report/compare/side.js';
import { REPORT_FILES } from '../report/renderers/index.js';
import { defineCommand } from './command.js';
import {
  addComparisonOptions,
  type ComparisonFlags,
  readConditions,
  reserveFiles,
  showComparison,
} from './comparison.js';
import type { Host } from './host.js';
import { computeDigest } from './read-run.js';
import { findBaseline, findSummary, readSide } from './run-folders.js';

interface CompareFlags extends ComparisonFlags {
  readonly a: string;
  readonly b: string | undefined;
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
        .positional('b', {
          type: 'string',
          describe:
            'the same for the other side; without it, a is compared with the starred run (runs --star) beside it',
        })
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
  reserveFiles(flags);
  const first = readSide(flags.a);
  const sides = flags.b === undefined ? ([findBaseline(first), first] as const) : ([first, readSide(flags.b)] as const);
  const { a, b, remarks } = withoutSpoiled(...sides);
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

/** An objection if the event log beside a summary is not the one from which the summary was computed. */
function findForeignEvents({ name, digest }: ComparedRun): readonly string[] {
  const summary = findSummary(name);
  const events = join(dirname(summary), EVENTS_FILE);
  if (digest === null || basename(summary) !== REPORT_FILES.json || !existsSync(events)) return [];
  const found = computeDigest(events, digest.length);
  if (found === digest) return [];
  return [`the summary and the events of "${name}" are of different runs: their digests are ${digest} and ${found}`];
}
