/**
 * The positions between the pages of a sorted list of devices. A device moves in a list that is sorted by what users and
 * reports change. So a position contains the place that the last device of a page had when the page was read. Then every device
 * that does not move is in exactly one page.
 *
 * A page has the position after it in `x-next-offset`. The contract has only the id of the last device (cloud C-9). For such a
 * client, the service remembers the places of the latest pages, each for the credential that has read the page. For an id of
 * which no place is remembered, the present place of the device counts.
 */
import type { DeviceSort } from '../../contract/devices.js';
import { ApiFault } from '../http/errors.js';
import { placeOf } from '../store/order.js';
import type { DeviceFilter, DeviceQuery, Id, Place, Store } from '../store/store.js';
import { type Caller, visibleDevice } from './access.js';

/** For the headers of a page. */
export const NEXT_OFFSET = {
  'x-next-offset': { type: 'string', description: 'The `offset` of the next page; absent from an empty page.' },
};

interface DeviceListing extends DeviceFilter {
  readonly sortBy: DeviceSort;
  readonly order: 'asc' | 'desc';
}

/** Where a page begins. */
type Position = Pick<DeviceQuery, 'after' | 'upTo'>;

/** Number of remembered places. A place takes some 300 bytes. */
const MOST_REMEMBERED = 10_000;

/** Values that grow with the time. While devices report, an ascending list would never end. */
const GROWING: ReadonlySet<DeviceSort> = new Set(['last_seen', 'session_id']);

export class DeviceCursors {
  readonly #store: Store;
  /** Latest last. */
  readonly #remembered = new Map<string, Position>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** The position that an `offset` names. @throws ApiFault 400 or 404 if it names none in this list */
  async positionOf(caller: Caller, list: DeviceListing, offset: string): Promise<Position> {
    const [id = '', cursor] = split(offset);
    if (list.sortBy === 'id') return { after: { id, value: id } };
    if (cursor !== undefined) return positionIn(id, cursor, list.sortBy) ?? unknown(offset);
    const remembered = this.#remembered.get(nameOf(caller, list, id));
    if (remembered) return remembered;
    // The answer must not reveal to a key with tags whether a device without these tags exists.
    const isLimited = caller.access.scope !== null;
    const row = isLimited ? await visibleDevice(this.#store, caller, id) : await this.#store.device(caller.spaceId, id);
    return row ? { after: placeOf(row, list.sortBy) } : unknown(offset);
  }

  /** The `x-next-offset` after the last device of a page; undefined for an empty page. @param from where the page begins; undefined: the first page */
  async nextOf(
    caller: Caller,
    list: DeviceListing,
    last: Place | undefined,
    from: Position | undefined,
  ): Promise<string | undefined> {
    if (last === undefined || list.sortBy === 'id') return last?.id;
    const upTo = from ? from.upTo : await this.#greatest(caller.spaceId, list);
    const position = { after: last, upTo };
    this.#remember(nameOf(caller, list, last.id), position);
    return `${last.id}.${Buffer.from(JSON.stringify([list.sortBy, position.after.value, upTo])).toString('base64url')}`;
  }

  /** The greatest value at the first page, at which a list of growing values ends. */
  async #greatest(spaceId: Id, list: DeviceListing): Promise<number | undefined> {
    if (!GROWING.has(list.sortBy) || list.order === 'desc') return undefined;
    const [last] = await this.#store.devices(spaceId, { ...list, order: 'desc', limit: 1 });
    const value = last && placeOf(last, list.sortBy).value;
    return typeof value === 'number' ? value : undefined;
  }

  #remember(name: string, position: Position): void {
    this.#remembered.delete(name);
    this.#remembered.set(name, position);
    for (const oldest of this.#remembered.keys()) {
      if (this.#remembered.size <= MOST_REMEMBERED) break;
      this.#remembered.delete(oldest);
    }
  }
}

function nameOf({ spaceId, access }: Caller, list: DeviceListing, id: Id): string {
  // The time of a request is not part of the list.
  const wanted = { ...list, health: list.health?.among };
  return JSON.stringify([access.userId, access.keyId, spaceId, wanted, id]);
}

function split(offset: string): readonly [id: Id, cursor?: string] {
  const [id = '', cursor] = offset.split('.');
  return cursor === undefined ? [id.toLowerCase()] : [id.toLowerCase(), cursor];
}

/** Returns undefined if the cursor was made for a list in another order, or not by a service. */
function positionIn(id: Id, cursor: string, sortBy: DeviceSort): Position | undefined {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    const [madeFor, value, upTo] = Array.isArray(parts) ? parts : [];
    const isFitting = madeFor === sortBy && isPlaceValue(value, sortBy) && (upTo === null || typeof upTo === 'number');
    return isFitting ? { after: { id, value }, upTo: upTo ?? undefined } : undefined;
  } catch {
    return undefined;
  }
}

const NUMBERS: ReadonlySet<DeviceSort> = new Set(['serial_number', 'last_seen', 'session_id']);

function isPlaceValue(value: unknown, sortBy: DeviceSort): value is Place['value'] {
  return value === null || typeof value === (NUMBERS.has(sortBy) ? 'number' : 'string');
}

function unknown(offset: string): never {
  throw new ApiFault(400, `querystring/offset "${offset}" is not a device of this space, or not of this list`);
}
