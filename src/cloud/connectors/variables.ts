/** Variables in the store: records of the family `variable`, whose names are unique per device and environment. */

import { bytesOf, MOST_VARIABLES } from '../../contract/limits.js';
import type { UnixMillis } from '../../kernel/time.js';
import { everyRecordInRange, SMALL_PAGE } from '../store/records.js';
import type { Change, Id, KeyRange, RecordRow, Store } from '../store/store.js';

export interface Variable {
  readonly id: Id;
  readonly spaceId: Id;
  /** Null: the variable belongs to the whole space. */
  readonly deviceId: Id | null;
  readonly name: string;
  readonly value: string;
  readonly environment: string | null;
  readonly comment: string | null;
  /** The API does not show the value; scripts of connectors receive it. */
  readonly secure: boolean;
  readonly locked: boolean;
  readonly createdAt: UnixMillis;
}

const FAMILY = 'variable';

export function putVariable(variable: Variable): Change {
  return { kind: 'record.put', row: rowOf(variable) };
}

/** Changes a variable, unless it has changed since `before` was read. */
export function changeVariable(before: Variable, after: Variable): Change {
  return { kind: 'record.change', row: rowOf(after), was: rowOf(before).body };
}

export function deleteVariable(id: Id): Change {
  return { kind: 'record.delete', family: FAMILY, id };
}

export async function findVariable(store: Store, spaceId: Id, id: Id): Promise<Variable | undefined> {
  const row = await store.record(FAMILY, spaceId, id);
  return row && toVariable(row);
}

function rowOf({ id, spaceId, createdAt, ...body }: Variable): RecordRow {
  const key = JSON.stringify([body.deviceId, body.environment, body.name]);
  return { family: FAMILY, id, spaceId, key, createdAt, dueAt: null, body };
}

export function toVariable({ id, spaceId, createdAt, body }: RecordRow): Variable {
  return { id, spaceId: spaceId as Id, createdAt, ...(body as Omit<Variable, 'id' | 'spaceId' | 'createdAt'>) };
}

const HIDDEN = '********';

interface Size {
  readonly count: number;
  readonly bytes: number;
}

export function isTooMuch({ count, bytes }: Size): boolean {
  return count > MOST_VARIABLES.count || bytes > MOST_VARIABLES.bytes;
}

/** What reads variables. */
interface Reader {
  readonly store: Store;
  /** Waits for the turn to read a page: many attempts and requests may begin at once. Default: does not wait */
  readonly turn?: () => Promise<void>;
}

/**
 * Variables of an owner (null: the space itself), by name, greatest first.
 * @param only null: those without an environment. Default: all
 */
function variablesIn({ store, turn }: Reader, spaceId: Id, owner: Id | null, only?: null): AsyncGenerator<RecordRow> {
  return everyRecordInRange(store, FAMILY, spaceId, keysOf(owner, only), SMALL_PAGE, turn);
}

/** The keys begin with `["<id>",`. The character after `,` is `-`. */
function keysOf(owner: Id | null, only?: null): KeyRange {
  const begin = JSON.stringify(only === undefined ? [owner] : [owner, only]).slice(0, -1);
  return { from: `${begin},`, below: `${begin}-` };
}

/** Reads the variables of an owner until they are {@link isTooMuch}, as an older version may have stored them. */
export async function readVariables(
  reader: Reader,
  ...which: [spaceId: Id, owner: Id | null, only?: null]
): Promise<Size & { readonly variables: readonly Variable[] }> {
  const variables: Variable[] = [];
  let bytes = 0;
  for await (const row of variablesIn(reader, ...which)) {
    const variable = toVariable(row);
    variables.push(variable);
    bytes += bytesOf(variable);
    if (isTooMuch({ count: variables.length, bytes })) break;
  }
  return { variables, count: variables.length, bytes };
}

/**
 * The values that the script of a connector gets for a device, by name of the variable. A variable of the device takes
 * precedence over one of its space. Variables with an environment are left out: they are for other programs, for example keys
 * for decoding wM-Bus (cloud C-36).
 * @param secrets `hidden`: secure variables have the value `********`, for results that a user sees
 * @returns undefined if the space or the device has more than {@link MOST_VARIABLES}
 */
export async function variablesFor(
  reader: Reader,
  spaceId: Id,
  deviceId: Id,
  secrets: 'shown' | 'hidden' = 'shown',
): Promise<Readonly<Record<string, string>> | undefined> {
  const common = await readVariables(reader, spaceId, null, null);
  const own = await readVariables(reader, spaceId, deviceId, null);
  if (isTooMuch(common) || isTooMuch(own)) return undefined;
  return Object.fromEntries(
    [...common.variables, ...own.variables].map(({ name, value, secure }) => [
      name,
      secure && secrets === 'hidden' ? HIDDEN : value,
    ]),
  );
}

/** Changes that delete the variables of a device; rejected if another one has been created since they were read. */
export async function variablesOfDevice(reader: Reader, spaceId: Id, deviceId: Id): Promise<readonly Change[]> {
  const changes: Change[] = [];
  for await (const { id } of variablesIn(reader, spaceId, deviceId)) changes.push(deleteVariable(id));
  return [...changes, { kind: 'record.none', family: FAMILY, spaceId, range: keysOf(deviceId) }];
}
