/** The configuration modules of a profile: parameters with type, range, default and help (firmware shell, 3). */
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
  text,
} from '../input/checks.js';
import type { LocatedNode, Problems } from '../input/document.js';
import { byTag, range } from './checks.js';
import { type ModuleSpec, type ParameterSpec, STRING_CHECKS } from './parameters.js';

/** A default and limits, before it is known which parameter they belong to. */
type Nameless = ParameterSpec extends infer P ? (P extends ParameterSpec ? Omit<P, 'name'> : never) : never;

const anyText: Check<string> = (node, problems) =>
  node.kind === 'scalar' && typeof node.value === 'string' ? node.value : complain(node, problems, 'a text');

const common = { type: text(), help: text() };

const parameterSpec = byTag<Nameless>('a parameter', 'type', {
  int: numeric('int', integer(-2_147_483_648, 2_147_483_647)),
  float: numeric('float', number()),
  bool: (node, problems) => {
    const read = record('a bool parameter', { ...common, default: boolean })(node, problems);
    return read && { ...read, type: 'bool' };
  },
  enum: (node, problems) => {
    const read = record('an enum parameter', { ...common, values: list(text(), 1), default: text() })(node, problems);
    if (read && !read.values.includes(read.default)) problems.add(node, `"${read.default}" is not one of its values`);
    return read && { ...read, type: 'enum' };
  },
  string: (node, problems) => {
    const shape = { max_length: integer(1, 255), default: anyText, check: optional(oneOf(STRING_CHECKS)) };
    const read = record('a string parameter', { ...common, ...shape })(node, problems);
    if (read === undefined) return undefined;
    const { max_length, default: standard, check, help } = read;
    if (standard.length > max_length) problems.add(node, `the default is longer than ${max_length} characters`);
    return { type: 'string', help, maxLength: max_length, default: standard, ...(check && { check }) };
  },
  hex: (node, problems) => {
    const digits = text(/^([0-9a-f]{2})+$/, 'lower-case hex digits, in quotes');
    const read = record('a hex parameter', { ...common, size: integer(1, 32), default: digits })(node, problems);
    if (read && read.default.length !== 2 * read.size) problems.add(node, `the default is not ${read.size} bytes long`);
    return read && { ...read, type: 'hex' };
  },
});

function numeric(type: 'int' | 'float', value: Check<number>): Check<Nameless> {
  return (node, problems) => {
    const read = record(`a ${type} parameter`, { ...common, range, default: value })(node, problems);
    if (read === undefined) return undefined;
    const [min, max] = read.range;
    if (read.default < min || read.default > max) {
      problems.add(node, `the default ${read.default} is outside of the range from ${min} to ${max}`);
    }
    return { type, help: read.help, min, max, default: read.default };
  };
}

const hidden = record('hidden', {
  parameters: list(text(), 1),
  unless: record('unless', { parameter: text(), is: text() }),
});

const moduleSpec = record('a module', {
  prefix: optional(text(/^[a-z0-9-]+$/, 'a settings name in lower case')),
  slots: optional(integer(1, 32)),
  hidden: optional(hidden),
  parameters: dictionary(parameterSpec),
});

/** Reads the section `config`: `order` names the modules in the order of `config show`. */
export function readModules(node: LocatedNode, problems: Problems): readonly ModuleSpec[] | undefined {
  const read = record('config', { order: list(text(), 1), modules: dictionary(moduleSpec) })(node, problems);
  if (read === undefined) return undefined;
  if (!read.order.includes('app')) problems.add(node, 'config needs a module "app": the application\'s own parameters');
  return read.order.flatMap((name) => {
    const module = read.modules.get(name);
    if (module === undefined) {
      problems.add(node, `"${name}" of "order" is not one of the modules`);
      return [];
    }
    // Because adding the name makes of each kind of nameless parameter the same kind of parameter.
    const parameters = [...module.parameters].map(([word, spec]) => ({ name: word, ...spec }) as ParameterSpec);
    const { slots, hidden } = module;
    for (const word of hidden ? [hidden.unless.parameter, ...hidden.parameters] : []) {
      if (!module.parameters.has(word)) problems.add(node, `"${word}" of "hidden" is not a parameter of "${name}"`);
    }
    return [{ name, prefix: module.prefix ?? name, parameters, ...(slots && { slots }), ...(hidden && { hidden }) }];
  });
}
