/** Creates the first space and the first API key when a service starts for the first time. */
import type { Clock } from '../../kernel/clock.js';
import { UsageError } from '../../kernel/errors.js';
import type { Random } from '../../kernel/random.js';
import type { Ids } from '../store/ids.js';
import { type Id, isDeleted, type SpaceRow, type Store } from '../store/store.js';
import { hashKey, newSecret, putKey } from './keys.js';

interface Bootstrap {
  /** Name of the space. Default: the space of the given key, else the oldest space, else a new space `fleet`. */
  readonly spaceName?: string | undefined;
  /** An API key chosen by the user. The first start with this key creates the key; later starts find it. */
  readonly apiKey?: string | undefined;
  readonly ids: Ids;
  readonly clock: Clock;
  /** Source of a new key. It must be cryptographically secure if other machines can reach the service. */
  readonly random: Random;
}

export interface Bootstrapped {
  readonly spaceId: Id;
  /** The API key, if it was given or has just been created; an existing key cannot be shown again. */
  readonly apiKey?: string;
  /** Whether the space has just been created. */
  readonly created: boolean;
}

/**
 * Finds the space, or creates it with an API key. If a key is given, ensures that the space has this key.
 * @throws UsageError `bad-api-key` if the key cannot be sent in a header, `foreign-api-key` if it belongs to another space
 */
export async function ensureSpaceAndKey(store: Store, options: Bootstrap): Promise<Bootstrapped> {
  const { apiKey, spaceName } = options;
  if (apiKey !== undefined) {
    if (!/^[\x21-\x7e]+$/.test(apiKey)) {
      const why = apiKey === '' ? 'is empty' : 'contains spaces or characters other than visible ASCII';
      throw new UsageError('bad-api-key', `the given API key ${why}`);
    }
    const known = await store.keyByHash(hashKey(apiKey));
    if (known) {
      await checkSpaceName(store, known.spaceId, spaceName);
      return { spaceId: known.spaceId, apiKey, created: false };
    }
  }
  const existing = await findSpace(store, spaceName);
  if (existing && apiKey === undefined) return { spaceId: existing.id, created: false };

  const now = Math.floor(options.clock.wall);
  const space = existing ?? { id: options.ids.uuid(), name: spaceName ?? 'fleet', type: 'team', createdAt: now };
  const secret = apiKey ?? newSecret(options.random);
  const access = { name: 'first key', prefix: '', tagIds: null, access: 'write' } as const;
  await store.commit([
    { kind: 'space.put', row: space },
    ...putKey({ id: options.ids.uuid(), spaceId: space.id, createdAt: now, ...access }, secret),
  ]);
  return { spaceId: space.id, apiKey: secret, created: existing === undefined };
}

async function checkSpaceName(store: Store, spaceId: Id, wanted: string | undefined): Promise<void> {
  const space = await store.space(spaceId);
  if (wanted !== undefined && space && space.name !== wanted) {
    const message = `the given API key belongs to the space "${space.name}", not to "${wanted}"`;
    throw new UsageError('foreign-api-key', message, 'give the name of that space, or another API key');
  }
}

/** The oldest space that is not deleted, or the oldest such space with this name. */
async function findSpace(store: Store, name: string | undefined): Promise<SpaceRow | undefined> {
  let after: Id | undefined;
  for (;;) {
    const page = await store.spaces({ limit: 100, after });
    const found =
      name === undefined
        ? page.find((space) => !isDeleted(space))
        : page.find((space) => space.name === name && !isDeleted(space));
    if (found || page.length === 0) return found;
    after = page.at(-1)?.id;
  }
}
