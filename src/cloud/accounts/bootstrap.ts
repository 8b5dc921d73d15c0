/**
 * The space and the API key with which a service starts: found, or created at the first start.
 *
 * A space has at most one *given* key: the one that the operator chose by an option. Another one replaces it, so that a leaked
 * key ends when the operator replaces it. A start without the option leaves it valid: a forgotten option must not lock out all
 * clients. Keys that users have created, and the key that a first start generates, are never replaced.
 */

import { faultOfKey } from '../../kernel/api-key.js';
import type { Clock } from '../../kernel/clock.js';
import { UsageError } from '../../kernel/errors.js';
import { type Log, SILENT } from '../../kernel/log.js';
import type { Random } from '../../kernel/random.js';
import type { Ids } from '../store/ids.js';
import { untilUndisturbed } from '../store/records.js';
import { type Id, isDeleted, type SpaceRow, type Store } from '../store/store.js';
import {
  type ApiKey,
  adopt,
  changeKey,
  deleteKey,
  everyKey,
  familyOf,
  hashKey,
  newSecret,
  prefixOf,
  putKey,
} from './keys.js';

interface Bootstrap {
  /** Name of the space. Default: the space of the given key, else the oldest space, else a new space `fleet`. */
  readonly spaceName?: string | undefined;
  /** An API key chosen by the operator. The first start with this key creates the key; later starts find it. */
  readonly apiKey?: string | undefined;
  readonly ids: Ids;
  readonly clock: Clock;
  /** Source of a new key. It must be cryptographically secure if other machines can reach the service. */
  readonly random: Random;
  /** Says which given keys have ended, or stay valid without being given. Default: nothing is said. */
  readonly log?: Log;
}

export interface Bootstrapped {
  readonly spaceId: Id;
  /** The API key, if it was given or has just been created; an existing key cannot be shown again. */
  readonly apiKey?: string;
  /** Whether the space has just been created. */
  readonly created: boolean;
}

/**
 * Finds the space, or creates it with an API key. If a key is given, ensures that it is the given key of the space.
 * @throws UsageError `bad-api-key` if the key cannot be sent in a header, `foreign-api-key` if it belongs to another space
 */
export async function ensureSpaceAndKey(store: Store, options: Bootstrap): Promise<Bootstrapped> {
  const { apiKey, spaceName } = options;
  if (apiKey !== undefined) return untilUndisturbed(() => ensureGiven(store, apiKey, options));
  const existing = await findSpace(store, spaceName);
  if (existing) {
    await warnOfKept(store, existing.id, options);
    return { spaceId: existing.id, created: false };
  }
  return createSpace(store, newSecret(options.random), GENERATED, options);
}

/** The keys of the service. Earlier versions called both kinds `first key`. */
const GENERATED = { name: 'first key' } as const;
const GIVEN = { name: 'given key', isGiven: true } as const;
type Kind = typeof GENERATED | typeof GIVEN;

async function ensureGiven(store: Store, apiKey: string, options: Bootstrap): Promise<Bootstrapped> {
  const { spaceName, log = SILENT } = options;
  const fault = faultOfKey(apiKey);
  if (fault !== undefined) throw new UsageError('bad-api-key', `the given API key ${fault}`);
  const known = await store.keyByHash(hashKey(apiKey));
  if (known) await checkSpaceName(store, known.spaceId, spaceName);
  const existing = known ? { id: known.spaceId } : await findSpace(store, spaceName);
  if (!existing) return createSpace(store, apiKey, GIVEN, options);
  const keys = await everyKey(store, existing.id);
  const found = keys.find(({ id }) => id === known?.id);
  const replaced = keys.filter((each) => each !== found && isGiven(each));
  // Also those whose creator was deleted: the holder of a leaked key may have deleted it, or rotated it.
  const made = familyOf([...replaced, ...keys.filter((each) => each !== found && each.isOfGiven)], keys);
  const children = made.filter((each) => !replaced.includes(each));
  const changes = [
    ...(found ? marked(found, apiKey) : putKey(newKey(options, existing.id, GIVEN), apiKey)),
    // They are changed first, so that the commit fails if one has created a key in the meantime.
    ...replaced.map((each) => changeKey(each, each)),
    ...replaced.flatMap((each) => adopt({ ...each, isGiven: true }, keys)),
    ...replaced.flatMap(({ id }) => deleteKey(id)),
  ];
  if (changes.length > 0) await store.commit(changes);
  if (replaced.length > 0 || (!found && children.length > 0)) {
    log.warn(
      { ended: replaced.map(shown), children: children.map(shown) },
      'the given API key ends those of earlier starts; the keys that were created with them stay valid',
    );
  }
  return { spaceId: existing.id, apiKey, created: false };
}

/** Says that the given key of earlier starts is valid although no key is given. */
async function warnOfKept(store: Store, spaceId: Id, { log = SILENT }: Bootstrap): Promise<void> {
  const kept = (await everyKey(store, spaceId)).filter(isGiven);
  if (kept.length === 0) return;
  log.warn(
    { kept: kept.map(shown) },
    'no API key is given: the one of earlier starts stays valid until it is deleted, or another one is given',
  );
}

/** A key in the log. */
function shown({ id, prefix }: ApiKey): { readonly id: Id; readonly prefix: string } {
  return { id, prefix };
}

/** Whether the operator chose the secret. Earlier versions did not mark such keys, but showed no prefix of short ones. */
function isGiven(key: ApiKey): boolean {
  return key.isGiven === true || key.prefix === '';
}

/** Changes that mark a key of an earlier version. Keys of users, and generated ones (UUIDs), are not marked. */
function marked(key: ApiKey, secret: string) {
  const isGenerated = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(secret);
  const isOurs = isGiven(key) || (key.name === GENERATED.name && key.parentId === undefined && !isGenerated);
  return isOurs && !key.isGiven ? [changeKey(key, { ...key, isGiven: true, prefix: prefixOf(secret) })] : [];
}

/** Creates a space with this key. */
async function createSpace(store: Store, apiKey: string, kind: Kind, options: Bootstrap): Promise<Bootstrapped> {
  const { ids, clock, spaceName = 'fleet' } = options;
  const space: SpaceRow = { id: ids.uuid(), name: spaceName, type: 'team', createdAt: Math.floor(clock.wall) };
  const key = newKey(options, space.id, kind);
  await store.commit([{ kind: 'space.put', row: space }, ...putKey(key, apiKey)]);
  return { spaceId: space.id, apiKey, created: true };
}

function newKey({ ids, clock }: Bootstrap, spaceId: Id, kind: Kind): ApiKey {
  const createdAt = Math.floor(clock.wall);
  return { id: ids.uuid(), spaceId, createdAt, prefix: '', tagIds: null, access: 'write', ...kind };
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
