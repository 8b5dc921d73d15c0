/** `ghostfleet plan`: what a scenario comes to, without running it. */
import { EXIT } from '../kernel/errors.js';
import { describePlan } from '../scenario/describe.js';
import { checked, command, wholeNumber } from './command.js';
import { loadPlan } from './read-files.js';
import { VARIABLES } from './values.js';

interface PlanFlags {
  readonly file: string;
  readonly seed: number | undefined;
  readonly var: ReadonlyMap<string, string>;
}

export const plan = command<PlanFlags>(
  'plan <file>',
  'Print what a scenario will do, and run nothing',
  (parser) =>
    parser
      .positional('file', { type: 'string', demandOption: true, describe: 'scenario file' })
      .option('seed', checked({ describe: 'seed in place of the file’s' }, 'seed', 'a whole number', seedOf))
      .option('var', VARIABLES),
  async ({ file, seed, var: vars }, host) => {
    host.out.write(describePlan(loadPlan(file, seed, vars).plan));
    return EXIT.fine;
  },
);

const seedOf = wholeNumber(0, Number.MAX_SAFE_INTEGER);
