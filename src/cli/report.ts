/** `ghostfleet report`: prints the report of a run, or opens its page in the browser. */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readRegular } from '../input/text-file.js';
import { EXIT, type ExitCode } from '../kernel/errors.js';
import { needReport } from '../library/run-files.js';
import { needFinished } from '../library/unfinished.js';
import { defineCommand } from './command.js';
import type { Host } from './host.js';
import { runFolder } from './read-run.js';

interface ReportFlags {
  readonly run: string;
  readonly open: boolean;
}

export const report = defineCommand<ReportFlags>(
  (parser) =>
    parser
      .positional('run', {
        type: 'string',
        demandOption: true,
        describe: 'directory of a run (--out), or a file in it: summary.json or events.jsonl',
      })
      .option('open', { type: 'boolean', default: false, describe: 'open report.html in the browser instead' }),
  execute,
);

async function execute({ run: given, open }: ReportFlags, host: Host): Promise<ExitCode> {
  const run = runFolder(given);
  needFinished(run);
  const path = needReport(run, open ? 'html' : 'text');
  if (!open) {
    host.out.write(readRegular(path));
    return EXIT.fine;
  }
  const { href } = pathToFileURL(resolve(path));
  host.openBrowser(href);
  host.out.write(`${href}\n`);
  return EXIT.fine;
}
