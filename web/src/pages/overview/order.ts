/** The order of the devices on the wall: group by group, then by name. */
import { append } from '../../../../src/kernel/append.js';
import type { Row } from '../../model/fleet.js';

export interface Ordered {
  readonly rows: readonly Row[];
  readonly groups: readonly { readonly name: string; readonly count: number }[];
  /** The place of each device, by id. */
  readonly places: ReadonlyMap<string, number>;
}

/** The group of a device: its first tag, or else its region. */
function groupOf({ tags, region }: Row): string {
  return tags[0] ?? region ?? 'others';
}

/** @param isComplete whether all devices are known; until then, they are in one group, in the order of the list */
export function ordered(all: readonly Row[], isComplete: boolean): Ordered {
  if (!isComplete) return inGroups([['', [...all]]]);
  const groups = new Map<string, Row[]>();
  for (const row of all) {
    const name = groupOf(row);
    append(groups, name, row);
  }
  for (const group of groups.values()) group.sort((a, b) => (a.name < b.name ? -1 : 1));
  return inGroups([...groups].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function inGroups(groups: readonly (readonly [string, readonly Row[]])[]): Ordered {
  const rows = groups.flatMap(([, group]) => group);
  return {
    rows,
    groups: groups.map(([name, group]) => ({ name, count: group.length })),
    places: new Map(rows.map(({ id }, place) => [id, place])),
  };
}
