import { boolean, type Check, complain, formed, optional, record, text } from '../../input/checks.js';
import type { SetupKind } from './kind.js';

type VariableOptions = {
  readonly name: string;
  readonly value: string;
  readonly environment: string | null;
  readonly secure: boolean;
};

/** Variables are texts; `8` and `true` need no quotes. */
const value: Check<string> = formed(
  () => ({ type: ['string', 'number', 'boolean'] }),
  (node, problems) =>
    node.kind === 'scalar' && node.value !== null
      ? typeof node.value === 'string'
        ? node.value
        : node.source
      : complain(node, problems, 'a text'),
);

/** A variable of the whole space, as transformations find it in `job.variables`. */
export const variable: SetupKind<VariableOptions> = {
  about: 'a variable of the space, which scripts of connectors find as job.variables.<name>',
  example: 'variable: { name: threshold, value: 8 }',
  check: record('variable', {
    name: text(),
    value,
    environment: optional(text(), null),
    secure: optional(boolean, false),
  }),
  describe: ({ name, value: text, environment, secure }) =>
    `"${name}" = ${secure ? '***' : `"${text}"`}${environment === null ? '' : ` in "${environment}"`}`,
  run: async (world, { name, value: text, environment, secure }) => {
    const { id } = await world.api.createVariable({ name, value: text, environment, secure });
    world.made(`variable "${name}"`, () => world.api.deleteVariable(id));
  },
};
