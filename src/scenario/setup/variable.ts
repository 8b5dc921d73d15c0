import { boolean, type Check, complain, formed, optional, record } from '../../input/checks.js';
import { cloudName } from '../values/cloud-name.js';
import type { SetupKind } from './kind.js';

type VariableOptions = {
  readonly name: string;
  readonly value: string;
  /** Name of an environment; null if there is none. */
  readonly environment: string | null;
  readonly secure: boolean;
};

/** Values are texts; `8` and `true` need no quotation marks. */
const value: Check<string> = formed(
  () => ({ type: ['string', 'number', 'boolean'] }),
  (node, problems) =>
    node.kind === 'scalar' && node.value !== null
      ? typeof node.value === 'string'
        ? node.value
        : node.source
      : complain(node, problems, 'a text'),
);

/** A variable of the space; connector scripts read it from `job.variables`. */
export const variable: SetupKind<VariableOptions> = {
  about: 'a variable of the space; scripts of connectors read it as job.variables.<name>',
  example: 'variable: { name: threshold, value: 8 }',
  check: record('variable', {
    name: cloudName,
    value,
    environment: optional(cloudName, null),
    secure: optional(boolean, false),
  }),
  describe: ({ name, value: text, environment, secure }) =>
    `"${name}" = ${secure ? '***' : `"${text}"`}${environment === null ? '' : ` in "${environment}"`}`,
  run: async (world, { name, value: text, environment, secure }) => {
    const { id } = await world.api.createVariable({ name, value: text, environment, secure });
    world.made(`variable "${name}"`, `/variables/${id}`);
  },
};
