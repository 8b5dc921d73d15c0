import { hasAtMost, LONGEST_VALUE } from '../../contract/limits.js';
import { boolean, type Check, complain, describeKey, formed, optional, record, refine } from '../../input/checks.js';
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
const anyValue: Check<string> = formed(
  () => ({ type: ['string', 'number', 'boolean'] }),
  (node, problems) =>
    node.kind === 'scalar' && node.value !== null
      ? typeof node.value === 'string'
        ? node.value
        : node.source
      : complain(node, problems, 'a text'),
);

const value = refine(anyValue, (text, node, problems) => {
  if (hasAtMost(LONGEST_VALUE, text)) return text;
  problems.add(node, `the value has more than ${LONGEST_VALUE} characters, which is the limit of the cloud`);
  return undefined;
});

/** A variable of the space; connector scripts read it from `job.variables`. */
export const variable: SetupKind<VariableOptions> = {
  about: 'a variable of the space; scripts of connectors read it as job.variables.<name>',
  example: 'variable: { name: threshold, value: 8 }',
  check: record('variable', {
    name: describeKey('Name, as in `job.variables.NAME`.', 'threshold', cloudName),
    value: describeKey('Value, which scripts get as a text.', '8', value),
    environment: optional(
      describeKey('Environment to which it belongs. Default: none.', 'production', cloudName),
      null,
    ),
    secure: optional(describeKey('Hides the value in answers of the API.', true, boolean), false),
  }),
  describe: ({ name, value: text, environment, secure }) =>
    `"${name}" = ${secure ? '***' : `"${text}"`}${environment === null ? '' : ` in "${environment}"`}`,
  run: async (world, { name, value: text, environment, secure }) => {
    const made = { what: `variable "${name}"`, path: '/variables/{id}', by: { name, environment } };
    await world.create(made, () => world.api.createVariable({ name, value: text, environment, secure }));
  },
};
