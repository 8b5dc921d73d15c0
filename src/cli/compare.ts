/** `ghostfleet compare`: shows whether two runs of a scenario differ by more than chance explains. */
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readRegular } from '../input/text-file.js';
import { EXIT, type ExitCode, UsageError } from '../kernel/errors.js';
import { isDirectory, writeWhole } from '../kernel/write-files.js';
import { EVENTS_FILE } from '../library/run-files.js';
import { type ComparedRun, compareRuns, findObjections } from '../report/compare/compare.js';
import { writeComparisonHtml } from '../report/compare/html.js';
import { writeComparisonJson } from '../report/compare/json.js';
import { readSummary } from '../report/compare/read.js';
import { writeComparisonText } from '../report/compare/text.js';
import { REPORT_FILES } from '../report/renderers/index.js';
import { defineCommand } from './command.js';
import { getTextWidth, type Host } from './host.js';
import { computeDigest } from './read-run.js';

interface CompareFlags {
  readonly a: string;
  readonly b: string;
  readonly force: boolean;
  readonly json: boolean;
  readonly html: string | undefined;
}

export const compare = defineCommand<CompareFlags>(
  (parser) =>
    parser
      .positional('a', {
        type: 'string',
        demandOption: true,
        describe: 'directory of a run (--out), or its summary.json',
      })
      .positional('b', { type: 'string', demandOption: true, describe: 'the same for the other run' })
      .option('force', {
        type: 'boolean',
        default: false,
        describe: 'compare the runs even if they are not comparable',
      })
      .option('json', { type: 'boolean', default: false, describe: 'print one JSON object instead of the table' })
      .option('html', { type: 'string', requiresArg: true, describe: 'file for the comparison as a page' }),
  execute,
);

async function execute({ a, b, force, json, html }: CompareFlags, host: Host): Promise<ExitCode> {
  const [one, other] = [readRun(a), readRun(b)];
  const against = [...findObjections(one, other), ...[one, other].flatMap(findForeignEvents)];
  if (against.length > 0 && !force) {
    throw new UsageError(
      'not-comparable',
      `the runs cannot be compared: ${against.join('; ')}`,
      'use --force to compare them anyway',
    );
  }
  const comparison = compareRuns(one, other);
  host.out.write(
    json ? writeComparisonJson(comparison, against) : writeComparisonText(comparison, against, getTextWidth(host.out)),
  );
  if (html !== undefined) writeWhole(html, writeComparisonHtml(comparison, against));
  return comparison.different ? EXIT.expectation : EXIT.fine;
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
