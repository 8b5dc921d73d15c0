/**
 * Whom a step, a fault or a load is for. All ways to say it:
 *
 *     all                 everybody
 *     clime               a group
 *     clime/3             its third device
 *     clime/3..7          its devices from the third to the seventh
 *     region/north        the groups of a region
 *     tag/indoor          the groups that carry a tag
 *     10%                 a sample of everybody
 *     10% of tag/indoor   a sample of those
 *
 * A sample is decided by the seed: the same words mean the same devices throughout a run, so that a fault and the step that
 * ends it meet the same ones; and a larger sample of the same devices holds every smaller one.
 */
import { type Check, formed, optional, text } from '../../input/checks.js';
import type { LocatedNode, Problems } from '../../input/document.js';
import { didYouMean, orList, quote } from '../../input/problems.js';
import type { Random } from '../../kernel/random.js';
import { formatRatio, parseRatio, type Ratio } from '../../kernel/ratio.js';

export type Selector =
  | { readonly kind: 'all' }
  | { readonly kind: 'group'; readonly group: string }
  /** From 1, both ends included. */
  | { readonly kind: 'devices'; readonly group: string; readonly first: number; readonly last: number }
  | { readonly kind: 'region'; readonly region: string }
  | { readonly kind: 'tag'; readonly tag: string }
  | { readonly kind: 'sample'; readonly share: Ratio; readonly of: Selector };

/** What can be named. */
export interface FleetNames {
  readonly groups: readonly string[];
  readonly regions: readonly string[];
  readonly tags: readonly string[];
  /** Devices by group; undefined when the fleet could not be read. */
  readonly sizes: ReadonlyMap<string, number> | undefined;
}

/** Words that a selector begins with, which cannot be names of groups. */
export const RESERVED = ['all', 'region', 'tag'] as const;

/** A selector as it stands in a file; who it means is looked up by {@link selector}. */
export const selectorText: Check<string> = formed(
  () => ({ type: ['string', 'number'], description: SELECTOR_FORM }),
  (node, problems) => (node.kind === 'scalar' && typeof node.value === 'number' ? node.source : text()(node, problems)),
);

/** Left out, it is everybody. */
export const TO = { to: optional(selectorText, 'all') };

const SELECTOR_FORM =
  'all, a group, a device such as clime/3, clime/3..7, region/…, tag/…, or a sample such as "10% of clime"';

/** Reads a selector; notes a problem at `node` when it names what there is not. */
export function selector(to: string, node: LocatedNode, problems: Problems, names: FleetNames): Selector | undefined {
  const [, percent, of = 'all'] = /^(\d+(?:\.\d+)?\s*%)(?:\s+of\s+(.+))?$/.exec(to.trim()) ?? [];
  if (percent !== undefined) {
    const share = parseRatio(percent);
    const base = selector(of, node, problems, names);
    if (share !== undefined && share > 0) return base && { kind: 'sample', share, of: base };
    problems.add(node, `${quote(to)} is a sample of nobody, or of more than there are`);
    return undefined;
  }
  if (to === 'all') return { kind: 'all' };
  const [, prefix, label = ''] = /^(region|tag)\/(.+)$/.exec(to) ?? [];
  if (prefix === 'region') {
    return known(label, 'region', names.regions, node, problems) ? { kind: 'region', region: label } : undefined;
  }
  if (prefix === 'tag') {
    return known(label, 'tag of a group', names.tags, node, problems) ? { kind: 'tag', tag: label } : undefined;
  }
  return ofGroup(to, node, problems, names);
}

function known(label: string, what: string, labels: readonly string[], node: LocatedNode, problems: Problems): boolean {
  if (labels.includes(label)) return true;
  const there = labels.length === 0 ? 'there is none' : `there is ${orList(labels)}`;
  problems.add(node, `${quote(label)} is not a ${what}${didYouMean(label, labels)}; ${there}`);
  return false;
}

function ofGroup(
  to: string,
  node: LocatedNode,
  problems: Problems,
  { groups, sizes }: FleetNames,
): Selector | undefined {
  const [, group = to, from, until = from] = /^([^/]*)(?:\/(\d{1,9})(?:\.\.(\d{1,9}))?)?$/.exec(to) ?? [];
  if (!groups.includes(group)) {
    const device = `${groups[0] ?? 'clime'}/3`;
    problems.add(
      node,
      `${quote(to)} is not "all", a group or a device such as "${device}"${didYouMean(group, [...groups, ...RESERVED])}`,
    );
    return undefined;
  }
  if (from === undefined) return { kind: 'group', group };
  const [first, last] = [Number(from), Number(until)];
  const size = sizes?.get(group);
  const wrong = wrongRange(first, last, size);
  if (wrong === undefined) return { kind: 'devices', group, first, last };
  problems.add(node, `${quote(to)} does not exist: ${wrong}`);
  return undefined;
}

/** @param size undefined: not known */
function wrongRange(first: number, last: number, size: number | undefined): string | undefined {
  if (last < first) return 'a range goes from the lower number to the higher';
  if (first >= 1 && last <= (size ?? last)) return undefined;
  return size === undefined ? 'the first device of a group is 1' : `the group has the devices 1 to ${size}`;
}

/** What a selector can look at in a group of the fleet. */
interface SelectableGroup {
  readonly name: string;
  /** null: none. */
  readonly region: string | null;
  readonly tags: readonly string[];
}

/** Whether a selector may mean devices of a group. */
export function touches(to: Selector, group: SelectableGroup): boolean {
  switch (to.kind) {
    case 'all':
      return true;
    case 'group':
    case 'devices':
      return group.name === to.group;
    case 'region':
      return group.region === to.region;
    case 'tag':
      return group.tags.includes(to.tag);
    case 'sample':
      return touches(to.of, group);
    default:
      return to satisfies never;
  }
}

/** The devices of a fleet, as far as selectors must know them. */
export interface Selectable {
  readonly groups: readonly SelectableGroup[];
  /** In the order of the groups. */
  readonly devices: readonly { readonly serial: number; readonly group: number }[];
  /** Of the seed; samples are drawn from forks of it. */
  readonly random: Random;
}

/** Indices of the devices that a selector means, ascending. */
export function select(to: Selector, fleet: Selectable): readonly number[] {
  if (to.kind === 'sample') return sample(select(to.of, fleet), to.share, fleet);
  const members: number[] = [];
  const inGroup = new Array<number>(fleet.groups.length).fill(0);
  const meant = fleet.groups.map((group) => touches(to, group));
  fleet.devices.forEach(({ group }, index) => {
    const number = (inGroup[group] ?? 0) + 1;
    inGroup[group] = number;
    if (!meant[group] || (to.kind === 'devices' && (number < to.first || number > to.last))) return;
    members.push(index);
  });
  return members;
}

/** One device at least. Each has a lot of its own, so that another group leaves everybody else's chances alone. */
function sample(members: readonly number[], share: Ratio, { devices, random }: Selectable): readonly number[] {
  const count = Math.min(members.length, Math.max(1, Math.round(members.length * share)));
  const lots = members.map((index) => ({ index, lot: random.fork(`sample/${devices[index]?.serial}`).next() }));
  lots.sort((a, b) => a.lot - b.lot || a.index - b.index);
  return lots
    .slice(0, count)
    .map(({ index }) => index)
    .sort((a, b) => a - b);
}

/** The selector as one writes it. */
export function selectorName(to: Selector): string {
  switch (to.kind) {
    case 'all':
      return 'all';
    case 'group':
      return to.group;
    case 'devices':
      return `${to.group}/${to.first}${to.last === to.first ? '' : `..${to.last}`}`;
    case 'region':
      return `region/${to.region}`;
    case 'tag':
      return `tag/${to.tag}`;
    case 'sample':
      return `${formatRatio(to.share)} of ${selectorName(to.of)}`;
    default:
      return to satisfies never;
  }
}
