/** `ghostfleet compare`: shows whether two runs of a scenario differ by more than chance explains. */
import { join } from 'node:path';
import { readText } from '../input/text-file.js';
import { EXIT, type ExitCode, UsageError } from '../kernel/errors.js';
import { isDirectory } from '../kernel/write-files.js';
import { type ComparedRun, compareRuns, comparisonText, objections } from '../report/compare/compare.js';
import { readSummary } from '../report/compare/read.js';
import { command } from './command.js';
import type { Host } from './host.js';

interface CompareFlags {
  readonly a: string;
  readonly b: string;
  readonly force: boolean;
}

export const compare = command<CompareFlags>(
  'compare <a> <b>',
  'Compare the figures of two runs of a scenario',
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
      }),
  execute,
);

async function execute({ a, b, force }: CompareFlags, host: Host): Promise<ExitCode> {
  const [one, other] = [readRun(a), readRun(b)];
  const against = objections(one, other);
  if (against.length > 0 && !force) {
    throw new UsageError(
      'not-comparable',
      `the runs cannot be compared: ${against.join('; ')}`,
      'use --force to compare them anyway',
    );
  }
  const comparison = compareRuns(one, other);
  host.out.write(comparisonText(comparison, against));
  return comparison.different ? EXIT.expectation : EXIT.fine;
}

function readRun(path: string): ComparedRun {
  return readSummary(readText(isDirectory(path) ? join(path, 'summary.json') : path), path);
}
