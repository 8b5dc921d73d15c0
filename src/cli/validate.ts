/** `ghostfleet validate`: checks scenario files, reports all problems, and warns of faults and steps without an effect. */
import { EXIT, UsageError } from '../kernel/errors.js';
import { checkScripts } from './check-scripts.js';
import { defineCommand } from './command.js';
import { findScenario, readTypedNames, SCENARIO_FILE } from './find-scenario.js';
import { readPlan } from './read-files.js';
import { ALLOW_FILE, collectVariables, FIRMWARE, VARIABLES } from './values.js';
import { printWarnings } from './warnings.js';

interface ValidateFlags {
  readonly files: readonly string[];
  readonly var: ReadonlyMap<string, string>;
  readonly firmware: string | undefined;
  readonly allowFile: readonly string[];
}

export const validate = defineCommand<ValidateFlags>(
  (parser) =>
    parser
      .positional('files', { type: 'string', array: true, demandOption: true, describe: `each a ${SCENARIO_FILE}` })
      .option('var', VARIABLES)
      .option('allow-file', ALLOW_FILE)
      .option('firmware', FIRMWARE),
  async ({ files, var: vars, firmware, allowFile: allowFiles }, host) => {
    const wrong: string[] = [];
    for (const file of readTypedNames(files, host)) {
      try {
        const { text, path } = await findScenario(file, host);
        const { plan, profiles } = readPlan(text, path, {
          vars: collectVariables(vars, host.env),
          firmware,
          allowFiles,
        });
        await checkScripts(plan, path);
        host.out.write(`${file}: valid\n`);
        printWarnings(plan, profiles, host, { file });
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        wrong.push(error.message);
      }
    }
    if (wrong.length > 0) throw new UsageError('bad-file', wrong.join('\n'));
    return EXIT.fine;
  },
);
