/**
 * The parts of a run, by a property of the devices or by the clients of its loads. Each part has metrics of its own, so their
 * number is limited: what is beyond the largest ones is one part.
 */
import { append } from '../../kernel/append.js';
import {
  DIMENSIONS,
  type Dimension,
  type Expectation,
  type Expression,
  findDimension,
  nameScope,
} from '../expect/expectation.js';
import { listLabels } from '../load/ready.js';
import type { FleetGroup } from '../model/fleet.js';
import type { Plan, PlannedPart, PlannedScope } from '../model/plan.js';
import type { ScenarioLoad } from '../model/scenario.js';

/** Maximum number of parts by one dimension, without that of the others. */
const MOST_PARTS = 20;
const NONE = '(none)';
const OTHERS = '(others)';

type DividedGroup = Pick<FleetGroup, 'name' | 'profile' | 'count' | 'tags' | 'region'> &
  Partial<Pick<FleetGroup, 'version'>>;

/** What is divided into parts. */
interface Divided {
  readonly fleet: readonly DividedGroup[];
  readonly loads: readonly ScenarioLoad[];
}

interface PartsBy {
  readonly parts: readonly PlannedPart[];
  readonly scopes: readonly PlannedScope[];
}

/** The dimensions of a report: those that the scenario names, and those of its expectations. */
export function listDimensions(
  named: readonly Dimension[],
  expectations: readonly Expectation[],
): readonly Dimension[] {
  const used = new Set([...named, ...expectations.flatMap((expectation) => findDimension(expectation) ?? [])]);
  return DIMENSIONS.filter((by) => used.has(by));
}

/** The parts by one dimension, in the order of the scenario. */
export function divideBy(by: Dimension, divided: Divided): PartsBy {
  const members = by === 'client' ? listLoads(divided.loads) : listDevices(by, divided.fleet);
  const scopes = limitParts(members).map(({ value, indices }) => {
    const name = nameScope({ kind: 'part', by, value });
    const loads = () => indices.flatMap((i) => listNames(divided.loads[i]));
    const scope: PlannedScope = by === 'client' ? { name, loads: loads() } : { name, devices: indices };
    return { part: { by, value, scope: name }, scope };
  });
  return { parts: scopes.map(({ part }) => part), scopes: scopes.map(({ scope }) => scope) };
}

function listNames(load: ScenarioLoad | undefined): readonly string[] {
  return load === undefined ? [] : listLabels(load);
}

/** The groups of a plan as parts, whatever the scenario names. */
export function divideByGroup({ groups }: Pick<Plan, 'groups'>): PartsBy {
  return divideBy('group', { fleet: groups, loads: [] });
}

/** An expectation for each part if it is by a dimension, and otherwise the expectation itself. */
export function expandParts(expectation: Expectation, partsBy: (by: Dimension) => PartsBy): readonly Expectation[] {
  const by = findDimension(expectation);
  if (by === undefined || 'invariant' in expectation) return [expectation];
  return partsBy(by).parts.map(({ value, scope }) => {
    const restrict = (side: Expression) => restrictTo(value, side);
    const line = expectation.line.replaceAll(new RegExp(`\\bby\\s+${by}\\b`, 'g'), () => `of ${scope}`);
    return { ...expectation, line, left: restrict(expectation.left), right: restrict(expectation.right) };
  });
}

/** The expression in which the terms by a dimension are about one part. */
function restrictTo(value: string, expression: Expression): Expression {
  if (expression.kind === 'operation') {
    return { ...expression, left: restrictTo(value, expression.left), right: restrictTo(value, expression.right) };
  }
  if (expression.kind === 'number' || expression.by === undefined) return expression;
  const { by, ...term } = expression;
  return { ...term, of: { kind: 'part', by, value } };
}

interface Members {
  readonly value: string;
  /** Indices of devices or loads, ascending. */
  readonly indices: readonly number[];
}

function listDevices(by: Exclude<Dimension, 'client'>, fleet: readonly DividedGroup[]): readonly Members[] {
  const found = new Map<string, (readonly number[])[]>();
  let next = 0;
  for (const group of fleet) {
    const indices = Array.from({ length: group.count }, (_, i) => next + i);
    next += group.count;
    for (const value of listValues(by, group)) found.set(value, [...(found.get(value) ?? []), indices]);
  }
  return [...found].map(([value, indices]) => ({ value, indices: indices.flat() }));
}

function listValues(by: Exclude<Dimension, 'client'>, group: DividedGroup): readonly string[] {
  switch (by) {
    case 'group':
      return [group.name];
    case 'region':
      return [group.region ?? NONE];
    case 'profile':
      return [group.profile];
    case 'firmware':
      return [group.version ?? NONE];
    case 'tag':
      return group.tags.length === 0 ? [NONE] : [...new Set(group.tags)];
    default:
      return by satisfies never;
  }
}

function listLoads(loads: readonly ScenarioLoad[]): readonly Members[] {
  const found = new Map<string, number[]>();
  for (const [i, { as = NONE }] of loads.entries()) append(found, as, i);
  // Without loads, an expectation about each client still has a part, which has no data.
  return found.size === 0 ? [{ value: NONE, indices: [] }] : [...found].map(([value, indices]) => ({ value, indices }));
}

/** The largest parts, and the others as one. Of parts with equal sizes, the earlier ones are larger. */
function limitParts(members: readonly Members[]): readonly Members[] {
  if (members.length <= MOST_PARTS) return members;
  const sorted = [...members].sort((a, b) => b.indices.length - a.indices.length);
  const kept = new Set(sorted.slice(0, MOST_PARTS));
  const rest = sorted.slice(MOST_PARTS).flatMap(({ indices }) => indices);
  const indices = [...new Set(rest)].sort((a, b) => a - b);
  return [...members.filter((each) => kept.has(each)), { value: OTHERS, indices }];
}
