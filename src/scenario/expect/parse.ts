/** Reads the expectations of a scenario; grammar.ts has the grammar. */
import { type Check, complain, formed } from '../../input/checks.js';
import type { LocatedNode, Problems } from '../../input/document.js';
import { noteLineError } from '../../input/line-error.js';
import { type FleetNames, readSelector } from '../selector/check.js';
import type { Expectation } from './expectation.js';
import { makeExpectationForm, parseExpectation } from './grammar.js';

/** The names that scopes of a scenario can use. */
export interface ScopeNames extends FleetNames {
  /** Names of the clients of `setup`; undefined if `setup` could not be read. */
  readonly clients: readonly string[] | undefined;
  /** Names of the loads, and labels of the requests of their chains; undefined if `load` could not be read. */
  readonly loads: readonly string[] | undefined;
}

/** No names, for JSON Schemas, which do not depend on a scenario. */
export const NO_NAMES: ScopeNames = {
  groups: [],
  regions: [],
  tags: [],
  fleet: undefined,
  clients: undefined,
  loads: undefined,
};

/** Reads one line of `expect`; problems have the column of the wrong word. */
export function expectExpectation(names: ScopeNames): Check<Expectation> {
  return formed(makeExpectationForm, (node, problems) => readLine(node, problems, names));
}

function readLine(node: LocatedNode, problems: Problems, names: ScopeNames): Expectation | undefined {
  if (node.kind !== 'scalar' || typeof node.value !== 'string') {
    return complain(node, problems, 'an expectation such as "uplink.stored == uplink.sent"');
  }
  const at = (column: number) => ({ ...node, column: node.textColumn + column - 1 });
  const before = problems.list.length;
  const scopes = {
    devices: (to: string, column: number) => readSelector(to, at(column), problems, names),
    clients: names.clients,
    loads: names.loads,
    tags: names.tags,
  };
  const { value } = node;
  const read = noteLineError(problems, at, () => parseExpectation(value, scopes));
  return problems.list.length === before ? read : undefined;
}
