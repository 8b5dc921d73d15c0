/** The first start of a service: somebody has to make the first space and the first key. */
import type { Clock } from '../../kernel/clock.js';
import { UsageError } from '../../kernel/errors.js';
import type { Random } from '../../kernel/random.js';
import type { Ids } from '../store/ids.js';
import { type Id, isDeleted, type SpaceRow, type Store } from '../store/store.js';
import { hashKey, newSecret, putKey } from './keys.js';

export interface Bootstrap {
  /** The space that is wanted. Without it: that of the given key, else the oldest, else a new one called `fleet`. */
  readonly spaceName?: string | undefined;
  /** A key of the user's own choice, which works from then on; it may be given again on every start. */
  readonly apiKey?: string | undefined;
  readonly ids: Ids;
  readonly clock: Clock;
  /** Where a new key comes from: for a service that others can reach, a secure source. */
  readonly random: Random;
}

export interface Bootstrapped {
  readonly spaceId: Id;
  /** Only when it was given or has just been made: an older one cannot be shown again. */
  readonly apiKey?: string;
  /** The space has just been made. */
  readonly created: boolean;
}

/**
 * Makes sure that there is a space with a key.
 * @throws UsageError `bad-api-key` when no header can carry the key, `foreign-api-key` when it belongs to another space
 */
export async function ensureSpaceAndKey(store: Store, options: Bootstrap): Promise<Bootstrapped> {
  const { apiKey, spaceName } = options;
  if (apiKey !== undefined) {
    if (!/^[\x21-\x7e]+$/.test(apiKey)) {
      throw new UsageError('bad-api-key', 'the given API key is not a word of visible ASCII characters');
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
    throw new UsageError('foreign-api-key', message, 'give that space, or another key');
  }
}

/** The oldest space, or the oldest of this name. */
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
