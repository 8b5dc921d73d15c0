/** Variables in the store: records of the family `variable`, whose names are unique per device and environment. */

import type { UnixMillis } from '../../kernel/time.js';
import { everyRecord } from '../store/records.js';
import type { Change, Id, RecordRow, Store } from '../store/store.js';

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

export function putVariable(variable: Variable): Change {
  return { kind: 'record.put', row: rowOf(variable) };
}

/** Changes a variable, unless it has changed since `before` was read. */
export function changeVariable(before: Variable, after: Variable): Change {
  return { kind: 'record.change', row: rowOf(after), was: rowOf(before).body };
}

export function deleteVariable(id: Id): Change {
  return { kind: 'record.delete', family: 'variable', id };
}

export async function findVariable(store: Store, spaceId: Id, id: Id): Promise<Variable | undefined> {
  const row = await store.record('variable', spaceId, id);
  return row && toVariable(row);
}

function rowOf({ id, spaceId, createdAt, ...body }: Variable): RecordRow {
  const key = JSON.stringify([body.deviceId, body.environment, body.name]);
  return { family: 'variable', id, spaceId, key, createdAt, dueAt: null, body };
}

export function toVariable({ id, spaceId, createdAt, body }: RecordRow): Variable {
  return { id, spaceId: spaceId as Id, createdAt, ...(body as Omit<Variable, 'id' | 'spaceId' | 'createdAt'>) };
}

const HIDDEN = '********';

/**
 * The values that the script of a connector gets for a device, by name of the variable. A variable of the device takes
 * precedence over one of its space. Variables with an environment are left out: they are for other programs, for example keys
 * for decoding wM-Bus (cloud C-36).
 * @param secrets `hidden`: secure variables have the value `********`, for results that a user sees
 */
export async function variablesFor(
  store: Store,
  spaceId: Id,
  deviceId: Id,
  secrets: 'shown' | 'hidden' = 'shown',
): Promise<Readonly<Record<string, string>>> {
  const own: [string, string][] = [];
  const common: [string, string][] = [];
  for await (const row of everyRecord(store, 'variable', spaceId)) {
    const variable = toVariable(row);
    if (variable.environment !== null) continue;
    const value = variable.secure && secrets === 'hidden' ? HIDDEN : variable.value;
    if (variable.deviceId === deviceId) own.push([variable.name, value]);
    else if (variable.deviceId === null) common.push([variable.name, value]);
  }
  return Object.fromEntries([...common, ...own]);
}

/** Changes that delete the variables of a device. */
export async function variablesOfDevice(store: Store, spaceId: Id, deviceId: Id): Promise<readonly Change[]> {
  const changes: Change[] = [];
  for await (const row of everyRecord(store, 'variable', spaceId)) {
    if (toVariable(row).deviceId === deviceId) changes.push(deleteVariable(row.id));
  }
  return changes;
}
