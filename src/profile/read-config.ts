/** The configuration modules of a profile: parameters with type, range, default and help (shell S-9). */
import {
  boolean,
  type Check,
  complain,
  dictionary,
  integer,
  list,
  number,
  oneOf,
  optional,
  record,
  refine,
  text,
} from '../input/checks.js';
import type { LocatedNode, Problems } from '../input/document.js';
import { didYouMean } from '../input/problems.js';
import { chooseByTag, range } from './checks.js';
import { type ModuleSpec, type ParameterSpec, type SlotTypes, STRING_CHECKS } from './parameters.js';

/** A parameter without its name. */
type Nameless = ParameterSpec extends infer P ? (P extends ParameterSpec ? Omit<P, 'name'> : never) : never;

const anyText: Check<string> = text(/^/);

/** `after` names the parameter that comes before this parameter; {@link sortSpecs} reads it. */
const common = { type: text(), help: text(), after: optional(text()) };

const slotTypes: Check<SlotTypes> = refine(dictionary(integer(0, 255)), (read) => Object.fromEntries(read));

const parameterSpec = chooseByTag<Nameless>('a parameter', 'type', {
  int: expectNumeric('int', integer(-2_147_483_648, 2_147_483_647)),
  float: expectNumeric('float', number()),
  bool: refine(record('a bool parameter', { ...common, default: boolean }), (read) => {
    return { type: 'bool', help: read.help, default: read.default };
  }),
  enum: refine(
    record('an enum parameter', { ...common, values: list(text(), 1), default: text() }),
    (read, node, problems) => {
      if (!read.values.includes(read.default)) problems.add(node, `"${read.default}" is not one of its values`);
      return { type: 'enum', help: read.help, values: read.values, default: read.default };
    },
  ),
  string: refine(
    record('a string parameter', {
      ...common,
      max_length: integer(1, 255),
      default: anyText,
      check: optional(oneOf(STRING_CHECKS)),
      types: optional(slotTypes),
    }),
    ({ max_length, default: standard, check, types, help }, node, problems) => {
      if ((check === 'device-slot') !== (types !== undefined)) {
        problems.add(
          node,
          'the check "device-slot" needs "types", the valid types of a slot, and "types" needs the check',
        );
      }
      if (standard.length > max_length) problems.add(node, `the default is longer than ${max_length} characters`);
      const more = { check, types };
      return { type: 'string', help, maxLength: max_length, default: standard, ...more };
    },
  ),
  hex: refine(
    record('a hex parameter', {
      ...common,
      size: integer(1, 32),
      default: text(/^([0-9a-f]{2})+$/, 'lower-case hex digits, in quotes'),
    }),
    (read, node, problems) => {
      if (read.default.length !== 2 * read.size) problems.add(node, `the default is not ${read.size} bytes long`);
      return { type: 'hex', help: read.help, size: read.size, default: read.default };
    },
  ),
});

function expectNumeric(type: 'int' | 'float', value: Check<number>): Check<Nameless> {
  return refine(record(`a ${type} parameter`, { ...common, range, default: value }), (read, node, problems) => {
    const [min, max] = read.range;
    if (read.default < min || read.default > max) {
      problems.add(node, `the default ${read.default} is outside of the range from ${min} to ${max}`);
    }
    return { type, help: read.help, min, max, default: read.default };
  });
}

const listSpec = record('list', {
  name: text(/^[a-z][a-z0-9-]*$/, 'a name in lower case'),
  capacity: integer(1, 255),
});

const hidden = record('hidden', {
  parameters: list(text(), 1),
  unless: record('unless', { parameter: text(), is: text() }),
});

/** A module's parameters in the order of `config show`. An extension's come last, unless `after` says otherwise. */
const parameters: Check<ReadonlyMap<string, Nameless>> = refine(dictionary(parameterSpec), sortSpecs);

function sortSpecs(
  specs: ReadonlyMap<string, Nameless>,
  node: LocatedNode,
  problems: Problems,
): ReadonlyMap<string, Nameless> {
  const names = [...specs.keys()];
  for (const [name, { value }] of node.kind === 'map' ? node.entries : []) {
    const after = value.kind === 'map' ? value.entries.get('after')?.value : undefined;
    if (after?.kind !== 'scalar') continue;
    if (after.source === name || !specs.has(after.source)) {
      complain(after, problems, `another parameter of this module${didYouMean(after.source, names)}`);
      continue;
    }
    names.splice(names.indexOf(name), 1);
    names.splice(names.indexOf(after.source) + 1, 0, name);
  }
  return new Map(names.map((name) => [name, specs.get(name) as Nameless]));
}

const moduleSpec = record('a module', {
  prefix: optional(text(/^[a-z0-9-]+$/, 'a settings name in lower case')),
  slots: optional(integer(1, 32)),
  list: optional(listSpec),
  hidden: optional(hidden),
  parameters,
});

/** Reads the section `config`: `order` names the modules in the order of `config show`. */
export const readModules: Check<readonly ModuleSpec[]> = refine(
  record('config', { order: list(text(), 1), modules: dictionary(moduleSpec) }),
  (read, node, problems) => {
    if (!read.order.includes('app'))
      problems.add(node, 'config needs a module "app": the application\'s own parameters');
    return read.order.flatMap((name) => {
      const module = read.modules.get(name);
      if (module === undefined) {
        problems.add(node, `"${name}" of "order" is not one of the modules`);
        return [];
      }
      // The cast is safe because adding the name turns each kind of nameless parameter into the same kind of parameter.
      const parameters = [...module.parameters].map(([word, spec]) => ({ name: word, ...spec }) as ParameterSpec);
      const { slots, list, hidden } = module;
      if (list && module.parameters.has(list.name)) {
        problems.add(node, `"${list.name}" of "${name}" is both a list and a parameter`);
      }
      for (const word of hidden ? [hidden.unless.parameter, ...hidden.parameters] : []) {
        if (!module.parameters.has(word)) problems.add(node, `"${word}" of "hidden" is not a parameter of "${name}"`);
      }
      const rest = { slots, list, hidden };
      return [{ name, prefix: module.prefix ?? name, parameters, ...rest }];
    });
  },
);
