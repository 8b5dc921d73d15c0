/** `ghostfleet validate`: checks scenario files and reports all problems together. */
import { EXIT, UsageError } from '../kernel/errors.js';
import { command } from './command.js';
import { loadScenario } from './read-files.js';
import { VARIABLES } from './values.js';

export const validate = command<{ readonly files: readonly string[]; readonly var: ReadonlyMap<string, string> }>(
  'validate <files..>',
  'Check scenario files',
  (parser) =>
    parser
      .positional('files', { type: 'string', array: true, demandOption: true, describe: 'scenario files' })
      .option('var', VARIABLES),
  async ({ files, var: vars }, host) => {
    const wrong: string[] = [];
    for (const file of files) {
      try {
        loadScenario(file, vars);
        host.out.write(`${file}: valid\n`);
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        wrong.push(error.message);
      }
    }
    if (wrong.length > 0) throw new UsageError('bad-file', wrong.join('\n'));
    return EXIT.fine;
  },
);
