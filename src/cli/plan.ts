/** `ghostfleet plan`: prints the plan of a scenario without running it. */
import { EXIT } from '../kernel/errors.js';
import { describePlan } from '../scenario/plan/describe.js';
import { command } from './command.js';
import { loadPlan } from './read-files.js';
import { SEED, VARIABLES } from './values.js';

interface PlanFlags {
  readonly file: string;
  readonly seed: number | undefined;
  readonly var: ReadonlyMap<string, string>;
}

export const plan = command<PlanFlags>(
  'plan <file>',
  'Print what a scenario will do, without running it',
  (parser) =>
    parser
      .positional('file', { type: 'string', demandOption: true, describe: 'scenario file' })
      .option('seed', SEED)
      .option('var', VARIABLES),
  async ({ file, seed, var: vars }, host) => {
    host.out.write(describePlan(loadPlan(file, seed, vars).plan));
    return EXIT.fine;
  },
);
