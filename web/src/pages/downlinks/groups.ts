/** The lanes of downlinks by what they wait for. */
import { GROUP_RECEIVED, GROUP_UNKNOWN, type Lane } from '../../model/journeys.js';

export interface LaneGroup {
  readonly name: string;
  readonly tone: Lane['tone'];
  /** Oldest first. */
  readonly members: readonly Lane[];
}

/** A lane that is over stays in its group for this long, in ms of real time, so that its arrival is seen. */
const STAYS = 4_000;
/** Number of lanes that are over. */
const MOST_OVER = 12;

/** Remembers the group of each lane until its arrival has been seen. */
export class GroupPlaces {
  readonly #places = new Map<
    string,
    { readonly group: string; readonly tone: Lane['tone']; arrivedAt: number | undefined }
  >();

  /** The group in which a lane is shown; undefined if it is over. @param now real time in ms */
  find({ message: { id }, group, tone, isOver }: Lane, now: number): Pick<LaneGroup, 'name' | 'tone'> | undefined {
    const before = this.#places.get(id);
    if (!isOver) {
      // The device has it: it stays where it waited.
      if (before && group === GROUP_RECEIVED) return { name: before.group, tone: before.tone };
      this.#places.set(id, { group, tone, arrivedAt: undefined });
      return { name: group, tone };
    }
    if (!before) return undefined;
    before.arrivedAt ??= now;
    if (now - before.arrivedAt < STAYS) return { name: before.group, tone: before.tone };
    this.#places.delete(id);
    return undefined;
  }
}

const ORDER: readonly Lane['tone'][] = ['bad', 'late', 'good', 'plain'];

/**
 * Groups of lanes that are on their way, those with trouble first, and the lanes that were over last, newest first.
 * @param now real time in ms
 */
export function groupsOf(lanes: readonly Lane[], places: GroupPlaces, now = performance.now()) {
  const groups = new Map<string, { readonly tone: Lane['tone']; readonly members: Lane[] }>();
  const over: Lane[] = [];
  for (const lane of lanes) {
    const place = places.find(lane, now);
    if (!place) {
      over.push(lane);
      continue;
    }
    const group = groups.get(place.name) ?? { tone: place.tone, members: [] };
    groups.set(place.name, group);
    group.members.push(lane);
  }
  const rank = ({ name, tone }: LaneGroup) => (name === GROUP_UNKNOWN ? ORDER.length : ORDER.indexOf(tone));
  const sorted = [...groups]
    .map(([name, group]): LaneGroup => ({ name, ...group }))
    .sort((a, b) => rank(a) - rank(b) || b.members.length - a.members.length);
  over.sort((a, b) => endOf(b) - endOf(a));
  return { groups: sorted, over: over.slice(0, MOST_OVER) };
}

function endOf({ message: { down_state_at, created_at } }: Lane): number {
  return Date.parse(down_state_at ?? created_at);
}
