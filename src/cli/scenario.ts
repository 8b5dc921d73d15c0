/** `ghostfleet scenario`: prints the JSON Schema of the scenarios in this folder, with its device types, for editors. */
import { EXIT } from '../kernel/errors.js';
import { scenarioSchema } from '../scenario/parse/schema.js';
import { defineCommand } from './command.js';
import { readProfiles } from './read-files.js';

export const scenario = defineCommand<{ readonly action: 'schema' }>(
  (parser) => parser.positional('action', { choices: ['schema'] as const, demandOption: true, describe: 'what to do' }),
  async (_options, host) => {
    host.out.write(
      `${JSON.stringify(scenarioSchema({ profiles: readProfiles('scenario.yaml'), others: false }), undefined, 2)}\n`,
    );
    return EXIT.fine;
  },
);
