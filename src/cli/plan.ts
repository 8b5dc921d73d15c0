/** `ghostfleet plan`: prints the plan of a scenario without running it. */
import { EXIT } from '../kernel/errors.js';
import { withoutEffect } from '../runner/no-effect.js';
import { describePlan } from '../scenario/plan/describe.js';
import { defineCommand } from './command.js';
import { findScenario, SCENARIO_FILE } from './find-scenario.js';
import { readPlan } from './read-files.js';
import { ALLOW_FILE, collectVariables, FIRMWARE, SEED, VARIABLES } from './values.js';

interface PlanFlags {
  readonly file: string;
  readonly seed: number | undefined;
  readonly firmware: string | undefined;
  readonly allowFile: readonly string[];
  readonly var: ReadonlyMap<string, string>;
}

export const plan = defineCommand<PlanFlags>(
  (parser) =>
    parser
      .positional('file', { type: 'string', demandOption: true, describe: SCENARIO_FILE })
      .option('seed', SEED)
      .option('var', VARIABLES)
      .option('allow-file', ALLOW_FILE)
      .option('firmware', FIRMWARE),
  async ({ file, seed, var: vars, firmware, allowFile: allowFiles }, host) => {
    const { text, path } = await findScenario(file, host);
    const { plan: made, profiles } = readPlan(text, path, {
      seed,
      vars: collectVariables(vars, host.env),
      firmware,
      allowFiles,
    });
    host.out.write(describePlan(made, withoutEffect(made, profiles)));
    return EXIT.fine;
  },
);
