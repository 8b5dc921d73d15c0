/**
 * Deletes what a run created in another cloud. What cannot be deleted is described as plain data, so that reports can list it
 * and `ghostfleet clean` can try again.
 */

import { ApiError, type DeviceCloudClient } from '../../client/client.js';
import { messageOf } from '../../kernel/errors.js';
import { foreignTime } from '../../kernel/json-text.js';
import type { UnixMillis } from '../../kernel/time.js';
import type { Leftovers, LeftThing } from '../../report/result.js';
import { isUndecidedError } from '../targets/undecided.js';

/** A thing that a run created, or may have created. */
export type MadeThing = Omit<LeftThing, 'why'>;

/** What a run may leave if it is ended during its clean-up, for the record that is written before the first deletion. */
export function listUndeleted(things: Iterable<MadeThing>): readonly LeftThing[] {
  return Array.from(things, (thing) => ({ ...thing, why: 'the run was ended before it deleted this' }));
}

/** The parts of the client that a clean-up needs. */
type Api = Pick<DeviceCloudClient, 'all' | 'connectors' | 'deleteDevice' | 'devices' | 'keys' | 'remove'>;

/** The API of a space by its name in the scenario; null for the space of the fleet. */
type SpaceApi = (space: string | null) => Promise<Api>;

/**
 * Deletes a thing. A thing that no longer exists counts as deleted.
 * @param since when the run began, by the clock of the cloud: an older device with the same serial number is not its own
 * @returns the thing with the reason if it still exists; undefined if it does not
 */
export async function deleteThing(
  thing: MadeThing,
  since: UnixMillis,
  apiOf: SpaceApi,
): Promise<LeftThing | undefined> {
  try {
    const api = await apiOf(thing.space);
    const path = await findPath(thing, since, api);
    if (path === undefined) return undefined;
    const used = await findUsers(path, api);
    if (used !== undefined) return { ...thing, why: `${used} still use it` };
    await remove(path, api).catch((error: unknown) =>
      isUndecidedError(error) ? remove(path, api) : Promise.reject(error),
    );
    return undefined;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    return { ...thing, why: messageOf(error) };
  }
}

/** Whether the run created a thing with a serial number or name of its own, or another user had it before. */
export function isOurs({ created_at }: { readonly created_at?: string }, since: UnixMillis): boolean {
  return foreignTime(created_at) >= since;
}

function remove(path: string, api: Api): Promise<void> {
  const device = /^\/devices\/([^/]+)$/.exec(path)?.[1];
  return device === undefined ? api.remove(path) : api.deleteDevice(decodeURIComponent(device));
}

/** Looks for a thing if the answer to its creation was lost; undefined if the run did not create it. */
async function findPath(thing: MadeThing, since: UnixMillis, api: Api): Promise<string | undefined> {
  const { path, serial, by } = thing;
  if (path === undefined) {
    const [device] = serial === undefined ? [] : await api.devices({ serial_number: String(serial), limit: 1 });
    return device && isOurs(device, since) ? `/devices/${encodeURIComponent(device.id)}` : undefined;
  }
  if (by === undefined || !path.includes('{id}')) return path;
  const [list = '', ...rest] = path.split('/{id}');
  const fields = Object.entries(by);
  if (fields.length === 0 || rest.join('') !== '') {
    throw new Error(`the answer to its creation was lost; look for it in ${list}, and delete it by hand`);
  }
  for await (const item of api.all(list)) {
    const found: Readonly<Record<string, unknown>> = { ...item };
    if (isOurs(item, since) && fields.every(([name, value]) => found[name] === value)) {
      return `${list}/${encodeURIComponent(item.id)}`;
    }
  }
  return undefined;
}

/** What uses a tag, such as the devices of another run; undefined without a use, and for all other things. */
async function findUsers(path: string, api: Api): Promise<string | undefined> {
  const id = /^\/tags\/(.+)$/.exec(path)?.[1];
  if (id === undefined) return undefined;
  const has = ({ tags }: { readonly tags: readonly { readonly id: string }[] }) => tags.some((tag) => tag.id === id);
  if ((await api.devices({ tag_ids: [id], limit: 1 })).some(has)) return 'devices';
  if ((await api.connectors({ limit: 500 })).some(has)) return 'connectors';
  if ((await api.keys({ limit: 500 })).some(has)) return 'API keys';
  return undefined;
}

/**
 * `3 things of the run "quick-mk3f9x2a" are still in http://127.0.0.1:8080; …`
 * @param record the run or the directory with the record for `ghostfleet clean`; undefined if there is none
 */
export function describeLeftovers({ run, api, things }: Leftovers, record: string | undefined): string {
  const [count, are, them] = things.length === 1 ? ['1 thing', 'is', 'it'] : [`${things.length} things`, 'are', 'them'];
  return `${count} of the run "${run}" ${are} still in ${api}; ${
    record === undefined
      ? `no record was saved, so delete ${them} by hand`
      : `"ghostfleet clean ${record}" removes ${them}`
  }`;
}
