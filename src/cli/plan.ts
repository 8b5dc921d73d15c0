/** `ghostfleet plan`: what a scenario comes to, without running it. */
import { EXIT } from '../kernel/errors.js';
import { describePlan } from '../scenario/describe.js';
import { checked, command, wholeNumber } from './command.js';
import { loadPlan } from './read-files.js';

export const plan = command<{ readonly file: string; readonly seed: number | undefined }>(
  'plan <file>',
  'Print what a scenario will do, and run nothing',
  (parser) =>
    parser
      .positional('file', { type: 'string', demandOption: true, describe: 'scenario file' })
      .option('seed', checked({ describe: 'seed in place of the file’s' }, 'seed', 'a whole number', seedOf)),
  async ({ file, seed }, host) => {
    host.out.write(describePlan(loadPlan(file, seed).plan));
    return EXIT.fine;
  },
);

const seedOf = wholeNumber(0, Number.MAX_SAFE_INTEGER);
