/** `ghostfleet validate`: checks scenario files, reports all problems, and warns of faults and steps without an effect. */
import { EXIT, UsageError } from '../kernel/errors.js';
import { command } from './command.js';
import { findScenario, SCENARIO_FILE, typedNames } from './find-scenario.js';
import { planOf } from './read-files.js';
import { ALLOW_FILE, allVariables, FIRMWARE, VARIABLES } from './values.js';
import { printWarnings } from './warnings.js';

interface ValidateFlags {
  readonly files: readonly string[];
  readonly var: ReadonlyMap<string, string>;
  readonly firmware: string | undefined;
  readonly allowFile: readonly string[];
}

export const validate = command<ValidateFlags>(
  (parser) =>
    parser
      .positional('files', { type: 'string', array: true, demandOption: true, describe: `each a ${SCENARIO_FILE}` })
      .option('var', VARIABLES)
      .option('allow-file', ALLOW_FILE)
      .option('firmware', FIRMWARE),
  async ({ files, var: vars, firmware, allowFile: allowFiles }, host) => {
    const wrong: string[] = [];
    for (const file of typedNames(files, host)) {
      try {
        const { text, path } = await findScenario(file, host);
        const { plan, profiles } = planOf(text, path, { vars: allVariables(vars, host.env), firmware, allowFiles });
        host.out.write(`${file}: valid\n`);
        printWarnings(plan, profiles, host, file);
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        wrong.push(error.message);
      }
    }
    if (wrong.length > 0) throw new UsageError('bad-file', wrong.join('\n'));
    return EXIT.fine;
  },
);
