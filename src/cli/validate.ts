/** `ghostfleet validate`: checks scenario files, reports all problems, and warns of faults and steps without an effect. */
import { EXIT, UsageError } from '../kernel/errors.js';
import { describeGiven } from '../scenario/values/environment.js';
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
    const given = collectVariables(vars, host.env);
    const names = readTypedNames(files, host);
    /** The scenarios that lack a variable, by its name. */
    const lacking = new Map<string, number>();
    const note = (name: string) => void lacking.set(name, (lacking.get(name) ?? 0) + 1);
    for (const file of names) {
      try {
        const { text, path } = await findScenario(file, host);
        const { plan, profiles } = readPlan(text, path, {
          vars: given,
          firmware,
          allowFiles,
          // One of several scenarios may have it.
          ...(names.length > 1 && { rewrite: (sources) => ({ ...sources, onUnknownVar: note }) }),
        });
        await checkScripts(plan, path);
        host.out.write(`${file}: valid\n`);
        printWarnings(plan, profiles, host, { file });
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        wrong.push(error.message);
      }
    }
    for (const [name, count] of lacking) {
      if (count === names.length) wrong.push(`${describeGiven(name)} is not a variable of any of these scenarios`);
    }
    if (wrong.length > 0) throw new UsageError('bad-file', wrong.join('\n'));
    return EXIT.fine;
  },
);
