/**
 * The `network` of a scenario. What stands directly under it holds all the time and for everybody; a fault may have a
 * time, a group and a direction. Faults add up.
 *
 *     network:
 *       latency: 150ms..900ms
 *       loss: 1%
 *       power-saving: off
 *       faults:
 *         - { outage: both, from: 2h, until: 2h20m, to: clime }
 *         - { loss: 1/10, from: 3h, until: 4h }
 */
import {
  type Check,
  complain,
  duration,
  list,
  oneOf,
  optional,
  ratio,
  readVariant,
  record,
  rejectUnknownKeys,
  text,
  valueAt,
} from '../input/checks.js';
import type { LocatedNode, Problems } from '../input/document.js';
import { didYouMean, orList, quote } from '../input/problems.js';
import { type Millis, parseDuration, seconds } from '../kernel/time.js';
import type { FaultSpec } from '../transport/faults/index.js';
import type { PlannedFault } from './plan.js';

export interface NetworkShape {
  /** Names of the groups. */
  readonly groups: readonly string[];
  /** When the scenario is over. */
  readonly end: Millis;
}

/** How long a datagram is held back by a reordering that does not say. */
const DEFAULT_HOLD_BACK = seconds(2);

type FaultCheck = Check<Pick<PlannedFault, 'fault' | 'way'>>;

const FAULTS: Readonly<Record<FaultSpec['kind'], FaultCheck>> = {
  latency: (node, problems) => both(latencyRange(node, problems)),
  loss: (node, problems) => both(withRatio('loss', node, problems)),
  duplication: (node, problems) => both(withRatio('duplication', node, problems)),
  reorder: (node, problems) => both(reorder(node, problems)),
  outage: (node, problems) => {
    const way = oneOf(['both', 'up', 'down'])(node, problems);
    return way && { fault: { kind: 'outage' }, way };
  },
};
/** Not a fault of the wire but a property of the network, which devices notice: it becomes a step (see parse.ts). */
const POWER_SAVING = 'power-saving';
const ALWAYS_KINDS = ['latency', 'loss', 'duplication', 'reorder'] as const;
// Because Object.keys forgets the keys' types.
const FAULT_KINDS = Object.keys(FAULTS) as readonly FaultSpec['kind'][];
const KEYS = [...ALWAYS_KINDS, POWER_SAVING, 'faults'];

/** Whether the network grants power saving mode; it does unless it says "off". */
export function savesPower(node: LocatedNode | undefined, problems: Problems): boolean {
  const value = node?.kind === 'map' ? node.entries.get(POWER_SAVING)?.value : undefined;
  return value === undefined || oneOf(['on', 'off'])(value, problems) !== 'off';
}

export function network(
  node: LocatedNode,
  problems: Problems,
  shape: NetworkShape,
): readonly PlannedFault[] | undefined {
  if (node.kind !== 'map') return complain(node, problems, `a map with ${orList(KEYS)}`);
  const before = problems.list.length;
  rejectUnknownKeys(node, KEYS, 'network', problems);
  const always = ALWAYS_KINDS.flatMap((kind) => {
    const value = node.entries.get(kind)?.value;
    const read = value && FAULTS[kind](value, problems);
    return read ? [{ ...read, from: 0, until: null, group: null }] : [];
  });
  const listed = node.entries.get('faults')?.value;
  const timed = listed && list((item, found) => timedFault(item, found, shape))(listed, problems);
  return problems.list.length === before ? [...always, ...(timed ?? [])] : undefined;
}

const WINDOW = {
  from: optional(duration, 0),
  until: optional(duration, null),
  to: optional(text(), null),
};

function timedFault(node: LocatedNode, problems: Problems, { groups, end }: NetworkShape): PlannedFault | undefined {
  if (node.kind !== 'map') return complain(node, problems, 'a fault: a map with a kind of fault, "from" and "until"');
  const { common, kind, options } = readVariant('a fault', WINDOW, FAULT_KINDS, node, problems);
  const read = kind && FAULTS[kind](options, problems);
  if (read === undefined || common === undefined) return undefined;
  const { from, until, to } = common;
  if (until !== null && until <= from) problems.add(valueAt(node, 'until'), 'the fault would end before it begins');
  if (from >= end) problems.add(valueAt(node, 'from'), 'the fault would begin after the end of the scenario');
  const group = to === 'all' ? null : to;
  if (group !== null && !groups.includes(group)) {
    problems.add(valueAt(node, 'to'), `${quote(group)} is not a group${didYouMean(group, groups)}`);
  }
  return { ...read, from, until, group };
}

/** `150ms..900ms`, or `200ms` for a latency that does not vary. */
function latencyRange(node: LocatedNode, problems: Problems): FaultSpec | undefined {
  const [first = '', last = first, ...more] = node.kind === 'scalar' ? node.source.split('..') : [];
  const min = parseDuration(first);
  const max = parseDuration(last);
  if (more.length > 0 || min === undefined || max === undefined || min > max) {
    return complain(node, problems, 'a latency such as "200ms" or "150ms..900ms"');
  }
  return { kind: 'latency', min, max };
}

function withRatio(kind: 'loss' | 'duplication', node: LocatedNode, problems: Problems): FaultSpec | undefined {
  const read = ratio(node, problems);
  return read === undefined ? undefined : { kind, ratio: read };
}

/** `5%`, or `{ ratio: 5%, by: 3s }`. */
function reorder(node: LocatedNode, problems: Problems): FaultSpec | undefined {
  const full = record('reorder', { ratio, by: optional(duration, DEFAULT_HOLD_BACK) });
  if (node.kind === 'map') {
    const read = full(node, problems);
    if (read === undefined || read.by > 0) return read && { kind: 'reorder', ...read };
    problems.add(valueAt(node, 'by'), 'a datagram can not be held back by less than 1 ms');
    return undefined;
  }
  const read = ratio(node, problems);
  return read === undefined ? undefined : { kind: 'reorder', ratio: read, by: DEFAULT_HOLD_BACK };
}

function both(fault: FaultSpec | undefined): Pick<PlannedFault, 'fault' | 'way'> | undefined {
  return fault && { fault, way: 'both' };
}
