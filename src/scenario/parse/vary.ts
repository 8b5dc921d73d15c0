/**
 * The values of a scenario that a search for its capacity can vary: variables, the size of the fleet and of its groups, and the
 * rate or the users of a load. The scenario is read again for each value, so every value passes the checks of a file.
 */
import type { LocatedNode, MapNode, ScalarNode } from '../../input/document.js';
import { didYouMean, quote } from '../../input/problems.js';
import { UsageError } from '../../kernel/errors.js';
import { formatDuration, type Millis, parseDuration } from '../../kernel/time.js';
import { CALL_NAMES } from '../load/calls.js';
import { apportion } from './apportion.js';
import type { ScenarioSources } from './sources.js';

/** A value of a scenario that can be varied. */
export interface Knob {
  /** `period` for a variable, `fleet.devices`, `fleet.cellar.count`, `load.latest-value.rate`, `load.2.users`. */
  readonly key: string;
  /** The unit behind the number: `/s`, `ms`, or none. */
  readonly unit: string;
  /** Whether only whole numbers are possible. */
  readonly whole: boolean;
  /** Why the value cannot be varied; left out if it can. */
  readonly refusal?: string;
  /** The scenario with another value. */
  readonly turn: (sources: ScenarioSources, text: string) => ScenarioSources;
}

/** Changes how a scenario is read. */
export type Rewrite = (sources: ScenarioSources) => ScenarioSources;

/** Finds the knob `key` of the scenario that `read` reads. @throws UsageError for an unknown key, or a value without a number */
export function knobOf(key: string, read: (rewrite: Rewrite) => unknown): Knob {
  let knobs: readonly Knob[] = [];
  const look = (root: LocatedNode) => {
    knobs = knobsOf(root);
    return root;
  };
  read((sources) => changing(sources, look));
  const found = knobs.find((knob) => knob.key === key) ?? numbered(key, knobs);
  if (found === undefined) {
    const keys = knobs.filter(({ refusal }) => refusal === undefined).map((knob) => knob.key);
    const known = keys.length === 0 ? 'the scenario has no value to vary' : `possible keys are ${keys.join(', ')}`;
    throw new UsageError('unknown-key', `unknown key ${quote(key)}${didYouMean(key, keys)}; ${known}`);
  }
  if (found.refusal !== undefined) throw new UsageError('bad-key', `${quote(key)} cannot be varied: ${found.refusal}`);
  return found;
}

/** A scenario that lasts for `hold` after its warm-up. @param warmUp undefined for that of the scenario */
export function lasting(hold: Millis | undefined, warmUp: Millis | undefined): Rewrite {
  return (sources) =>
    changing(sources, (root) => {
      if (root.kind !== 'map') return root;
      const own = root.entries.get('warm-up')?.value;
      const before = warmUp ?? (own?.kind === 'scalar' ? parseDuration(own.source) : undefined) ?? 0;
      const warm = warmUp === undefined ? root : withEntry(root, 'warm-up', formatDuration(warmUp));
      return hold === undefined ? warm : withEntry(warm, 'duration', formatDuration(before + hold));
    });
}

function changing(sources: ScenarioSources, change: (root: LocatedNode) => LocatedNode): ScenarioSources {
  const { change: earlier = (root) => root } = sources;
  return { ...sources, change: (root) => change(earlier(root)) };
}

/** `load.2.rate` for a load with a name. */
function numbered(key: string, knobs: readonly Knob[]): Knob | undefined {
  const [, number, field] = /^load\.(\d+)\.(\w+)$/.exec(key) ?? [];
  const ofLoads = knobs.filter((knob) => knob.key.startsWith('load.'));
  const knob = ofLoads[Number(number) - 1];
  return knob?.key.endsWith(`.${field}`) ? { ...knob, key } : undefined;
}

function knobsOf(root: LocatedNode): readonly Knob[] {
  if (root.kind !== 'map') return [];
  const under = (key: string) => root.entries.get(key)?.value;
  return [...variables(under('vars')), ...fleetKnobs(under('fleet')), ...loadKnobs(under('load'))];
}

/** A number and what follows it. Rates and shares may have fractions; other values have them if the scenario uses one. */
function quantityIn(text: string): Pick<Knob, 'unit' | 'whole'> | undefined {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)\s*(%|[a-zµ/]*)$/.exec(text.trim()) ?? [];
  return number === undefined ? undefined : { unit, whole: !number.includes('.') && !/[/%]/.test(unit) };
}

const COUNT = { unit: '', whole: true } as const;
const NO_NUMBER = { unit: '', whole: false } as const;

function variables(vars: LocatedNode | undefined): readonly Knob[] {
  if (vars?.kind !== 'map') return [];
  return [...vars.entries].map(([key, { value }]): Knob => {
    const quantity = value.kind === 'scalar' ? quantityIn(value.source) : undefined;
    return {
      key,
      ...(quantity ?? { ...NO_NUMBER, refusal: `the variable is ${quote(written(value))}, not a number` }),
      turn: (sources, text) => ({ ...sources, vars: new Map([...(sources.vars ?? []), [key, text]]) }),
    };
  });
}

function fleetKnobs(fleet: LocatedNode | undefined): readonly Knob[] {
  const shared = fleet?.kind === 'map';
  const groups = shared ? fleet.entries.get('groups')?.value : fleet;
  if (groups?.kind !== 'list') return [];
  const counted = groups.items.map((group, index): Knob => {
    const key = `fleet.${written(entryOf(group, 'name')) || index + 1}.count`;
    const refusal = entryOf(group, 'share') && `the group has a share of the fleet; vary "fleet.devices"`;
    return { key, ...COUNT, ...(refusal && { refusal }), turn: edits(['fleet', index, 'count']) };
  });
  const all: Knob = { key: 'fleet.devices', ...COUNT, turn: shared ? edits(['fleet', 'devices']) : ofAllGroups };
  return [all, ...counted];
}

/** Divides the devices among the groups in proportion to their counts. */
function ofAllGroups(sources: ScenarioSources, text: string): ScenarioSources {
  return changing(sources, (root) => {
    const fleet = entryOf(root, 'fleet');
    if (fleet?.kind !== 'list') return root;
    const counts = fleet.items.map((group) => Number(written(entryOf(group, 'count'))));
    const total = counts.reduce((sum, count) => sum + count, 0);
    const shares = apportion(
      Number(text),
      counts.map((count) => count / total),
    );
    return shares.reduce((changed, share, index) => edited(changed, ['fleet', index, 'count'], String(share)), root);
  });
}

function loadKnobs(loads: LocatedNode | undefined): readonly Knob[] {
  if (loads?.kind !== 'list') return [];
  const calls = loads.items.map((load) => written(entryOf(load, 'name')) || findCall(load));
  return loads.items.map((load, index): Knob => {
    const call = calls[index];
    const isOnly = call !== undefined && calls.filter((other) => other === call).length === 1;
    const name = `load.${isOnly ? call : index + 1}`;
    const field = FIELDS.find((each) => entryOf(load, each) !== undefined) ?? 'rate';
    const knob = { key: `${name}.${field}`, turn: edits(['load', index, field]) };
    if (field === 'per') return { ...knob, ...NO_NUMBER, refusal: 'it runs once for each device; vary the fleet' };
    const value = entryOf(load, field);
    const quantity = value?.kind === 'scalar' ? quantityIn(value.source) : undefined;
    const refusal = `its ${field === 'rate' ? 'rate is' : 'users are'} not steady; vary a variable that it contains`;
    return { ...knob, ...(quantity ?? { ...NO_NUMBER, refusal }) };
  });
}

/** What decides about the number of iterations. */
const FIELDS = ['users', 'rate', 'per'] as const;

function findCall(load: LocatedNode): string | undefined {
  return CALL_NAMES.find((name) => entryOf(load, name) !== undefined);
}

type Path = readonly [string | number, ...(string | number)[]];

function edits(path: Path): Knob['turn'] {
  return (sources, text) => changing(sources, (root) => edited(root, path, text));
}

/** A copy in which the value at `path` is `text`. */
function edited(node: LocatedNode, [first, ...rest]: readonly (string | number)[], text: string): LocatedNode {
  if (node.kind === 'list') {
    return { ...node, items: node.items.map((item, index) => (index === first ? edited(item, rest, text) : item)) };
  }
  if (node.kind !== 'map' || first === undefined) return node;
  const [next] = rest;
  const inner = entryOf(node, String(first));
  return next !== undefined && inner !== undefined
    ? withValue(node, String(first), edited(inner, rest, text))
    : withEntry(node, String(first), text);
}

function withEntry(node: MapNode, key: string, text: string): MapNode {
  const { file, line, column } = node.entries.get(key)?.value ?? node;
  const number = Number(text);
  const value: ScalarNode['value'] = Number.isNaN(number) ? text : number;
  return withValue(node, key, { kind: 'scalar', file, line, column, value, source: text, textColumn: column });
}

function withValue(node: MapNode, key: string, value: LocatedNode): MapNode {
  const place = node.entries.get(key)?.key ?? node;
  return { ...node, entries: new Map([...node.entries, [key, { key: place, value }]]) };
}

function entryOf(node: LocatedNode, key: string): LocatedNode | undefined {
  return node.kind === 'map' ? node.entries.get(key)?.value : undefined;
}

function written(node: LocatedNode | undefined): string {
  return node?.kind === 'scalar' ? node.source : '';
}
