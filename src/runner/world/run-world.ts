/** What steps and setup use of a run besides its devices (scenario/world.ts), on the public API. */
import { ApiError, type DeviceCloudClient } from '../../client/client.js';
import type { ClockHold } from '../../kernel/clock-hold.js';
import type { Profile } from '../../profile/profile.js';
import type { ClientAccess, SetupWorld } from '../../scenario/setup/kind.js';
import type { World } from '../../scenario/world.js';
import type { Target } from '../targets/target.js';
import { isUndecidedError } from '../targets/undecided.js';
import type { MadeThing } from './clean-up.js';
import { getProfile } from './fleet.js';
import { makeImage } from './image.js';

export interface RunWorld extends World, SetupWorld {
  readonly api: DeviceCloudClient;
  /**
   * The interface for a step that stops virtual time with `hold`. While a fault delays a request of the step, `hold` is
   * suspended.
   */
  withHold(hold: ClockHold): World;
  /** Everything that the run created in the cloud except devices, oldest first. */
  readonly things: readonly MadeThing[];
  /** See {@link Target.unsure}. */
  readonly unsure: ReadonlyMap<number, string>;
  spaceApi(space: string | null): Promise<DeviceCloudClient>;
  /** Credentials of a client created by `setup`; undefined if it was not created. */
  client(name: string): ClientAccess | undefined;
  /** The resources that all parts of the run share. */
  shared(): Promise<SharedThings>;
}

/** Resources that all parts of a run share. The run creates them before the parts begin. */
export interface SharedThings {
  /** Ids of tags by their names. */
  readonly tags: ReadonlyMap<string, string>;
  /** Ids of firmware images by their names in the scenario. */
  readonly firmware: ReadonlyMap<string, string>;
  /** Credentials of clients by their names in the scenario. Secret. */
  readonly clients: ReadonlyMap<string, ClientAccess>;
}

/**
 * Builds the interface for steps and setup on the API of the run's space. A tag that a step or a group names is created if it
 * does not exist.
 * @param shared resources that exist already. Default: none
 */
export function makeWorld(
  { api, openSpace, admit, unsure = new Map() }: Pick<Target, 'api' | 'openSpace' | 'admit' | 'unsure'>,
  profiles: ReadonlyMap<string, Profile>,
  shared?: SharedThings,
): RunWorld {
  const spaces = new Map<string, Promise<DeviceCloudClient>>();
  const clients = new Map(shared?.clients);
  const tags = new Map([...(shared?.tags ?? [])].map(([name, id]) => [name, Promise.resolve(id)]));
  const firmware = new Map(shared?.firmware);
  const things: MadeThing[] = [];
  const create: SetupWorld['create'] = async ({ what, path, by, space = null }, post) => {
    try {
      const created = await post();
      things.push({ what, space, path: path.replaceAll('{id}', encodeURIComponent(created.id)) });
      return created;
    } catch (error) {
      if (isUndecidedError(error)) things.push({ what, space, path, by });
      throw error;
    }
  };
  const over = (client: DeviceCloudClient) => ({
    api: client,
    tagId: (name: string, colour?: string) => {
      const id = tags.get(name) ?? findOrCreateTag(client, name, colour, create);
      tags.set(name, id);
      // After a failure, the next caller tries again.
      id.catch(() => tags.delete(name));
      return id;
    },
    firmwareId: (name: string) => {
      const id = firmware.get(name);
      if (id === undefined) throw new Error(`unknown firmware "${name}"`);
      return id;
    },
  });
  const world = over(api);
  return {
    ...world,
    things,
    unsure,
    create,
    spaceApi: async (name) => {
      if (name === null) return api;
      const opened = spaces.get(name) ?? openSpace(name);
      spaces.set(name, opened);
      return opened;
    },
    nameClient: (name, access) => void clients.set(name, access),
    client: (name) => clients.get(name),
    shared: async () => {
      const ids = await Promise.all([...tags].map(async ([name, id]) => [name, await id] as const));
      return { tags: new Map(ids), firmware, clients };
    },
    image: (profile, version, size) => makeImage(getProfile(profiles, profile), version, size),
    nameFirmware: (name, id) => void firmware.set(name, id),
    withHold: (hold) => (admit ? over(api.through((request) => requestAdmitted(admit(hold), request))) : world),
  };
}

async function requestAdmitted<T>(admission: Promise<boolean>, request: () => Promise<T>): Promise<T> {
  if (await admission) return request();
  throw new Error('the service is down and refuses connections');
}

/** Colours of the tags that a run creates. After the last one, the first one follows again. */
const COLOURS = ['#3b82f6', '#10b981', '#f59e0b', '#ef4444', '#8b5cf6', '#14b8a6'];

async function findOrCreateTag(
  api: DeviceCloudClient,
  name: string,
  colour: string | undefined,
  create: SetupWorld['create'],
): Promise<string> {
  const { found, count } = await findTag(api, name);
  if (found !== undefined) return found;
  try {
    const color = colour ?? COLOURS[count % COLOURS.length] ?? '#3b82f6';
    const made = { what: `tag "${name}"`, path: '/tags/{id}', by: { name } };
    return (await create(made, () => api.createTag({ name, color }))).id;
  } catch (error) {
    // Another client may have created it since the list was read.
    const there = error instanceof ApiError && error.status === 409 ? await findTag(api, name) : undefined;
    if (there?.found === undefined) throw error;
    return there.found;
  }
}

/** @returns the id of the tag, undefined if there is none, and the number of tags before it */
async function findTag(api: DeviceCloudClient, name: string): Promise<{ found?: string; count: number }> {
  let count = 0;
  for await (const tag of api.allTags()) {
    if (tag.name === name) return { found: tag.id, count };
    count++;
  }
  return { count };
}
