/** The order of the devices on the wall: group by group, then by name. */
import { append } from '../../../../src/kernel/append.js';
import type { Row } from '../../model/fleet.js';
import { MOST_BLOCKS } from './layout.js';

export interface Ordered {
  readonly rows: readonly Row[];
  readonly groups: readonly { readonly name: string; readonly count: number }[];
  /** The place of each device, by id. */
  readonly places: ReadonlyMap<string, number>;
}

/** @param isComplete whether all devices are known; until then, they are in one group, in the order of the list */
export function ordered(all: readonly Row[], isComplete: boolean): Ordered {
  if (!isComplete) return inGroups([['', [...all]]]);
  const rarest = byRarestTag(all);
  // Tags such as the name of a site would make a group of each device.
  const groups = rarest.size <= MOST_BLOCKS ? rarest : groupedBy(all, ({ tags }) => tags[0]);
  for (const group of groups.values()) group.sort((a, b) => (a.name < b.name ? -1 : 1));
  return inGroups([...groups].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Groups by the tag that says most about a device, which is the one that the fewest devices have. If some of the devices with a
 * tag are in the group of another one, the rest are its `other` ones.
 */
function byRarestTag(all: readonly Row[]): ReadonlyMap<string, Row[]> {
  const counts = new Map<string, number>();
  for (const { tags } of all) for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  const count = (tag: string) => counts.get(tag) ?? 0;
  const rarer = (a: string, b: string) => (count(b) < count(a) ? b : a);
  const groups = groupedBy(all, ({ tags }) => (tags.length > 1 ? tags.reduce(rarer) : tags[0]));
  return new Map([...groups].map(([name, group]) => [count(name) > group.length ? `other ${name}` : name, group]));
}

/** Groups by a tag, or else by the region. */
function groupedBy(all: readonly Row[], tagOf: (row: Row) => string | undefined): ReadonlyMap<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of all) append(groups, tagOf(row) ?? row.region ?? 'others', row);
  return groups;
}

function inGroups(groups: readonly (readonly [string, readonly Row[]])[]): Ordered {
  const rows = groups.flatMap(([, group]) => group);
  return {
    rows,
    groups: groups.map(([name, group]) => ({ name, count: group.length })),
    places: new Map(rows.map(({ id }, place) => [id, place])),
  };
}
