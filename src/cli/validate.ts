/** `ghostfleet validate`: checks scenario files, all problems at once. */
import { EXIT, UsageError } from '../kernel/errors.js';
import { command } from './command.js';
import { loadScenario } from './read-files.js';

export const validate = command<{ readonly files: readonly string[] }>(
  'validate <files..>',
  'Check scenario files',
  (parser) =>
    parser.positional('files', { type: 'string', array: true, demandOption: true, describe: 'scenario files' }),
  async ({ files }, host) => {
    const wrong: string[] = [];
    for (const file of files) {
      try {
        loadScenario(file);
        host.out.write(`${file}: fine\n`);
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        wrong.push(error.message);
      }
    }
    if (wrong.length > 0) throw new UsageError('bad-file', wrong.join('\n'));
    return EXIT.fine;
  },
);
