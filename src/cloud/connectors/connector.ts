/** Connectors in the store (cloud C-32), with unique names in a space; and which messages a connector forwards. */
import type { ConnectorTrigger } from '../../contract/connectors.js';
import type { Seconds, UnixMillis } from '../../kernel/time.js';
import type { Change, DeviceRow, Id, MessageRow, RecordRow, Store } from '../store/store.js';

/** Default retry delays in seconds: 9 retries, the last one about 22 hours and 42 minutes after the first attempt. */
export const RETRY_DELAYS: readonly number[] = [10, 30, 60, 600, 1800, 3600, 10_800, 21_600, 43_200];

export interface Connector {
  readonly id: Id;
  readonly spaceId: Id;
  readonly name: string;
  readonly direction: 'up' | 'down';
  readonly state: 'enabled' | 'disabled';
  readonly triggers: readonly ConnectorTrigger[];
  readonly tagIds: readonly Id[];
  /** JavaScript with a function `main(job)`. */
  readonly transformation: string;
  /** Seconds from the end of one attempt to the start of the next. */
  readonly retryDelays: readonly number[];
  /** Timeout of a request in seconds; 0: the default of 30 s. */
  readonly timeout: Seconds;
  readonly createdAt: UnixMillis;
  /** How often it was enabled again: deliveries from before the last time are dropped. A time would depend on clocks. */
  readonly enablings?: number;
  /** Number of changes; missing before the first. */
  readonly version?: number;
}

export function putConnector(connector: Connector): Change {
  return { kind: 'record.put', row: rowOf(connector) };
}

/** Changes a connector, unless it has changed since `before` was read. */
export function changeConnector(before: Connector, after: Connector): Change {
  return { kind: 'record.change', row: rowOf(after), was: rowOf(before).body };
}

/**
 * Deletes a connector. Its finished deliveries are kept but not listed; the dispatcher deletes a pending one when it is due.
 */
export function deleteConnector(id: Id): Change {
  return { kind: 'record.delete', family: 'connector', id };
}

export async function findConnector(store: Store, spaceId: Id, id: Id): Promise<Connector | undefined> {
  const row = await store.record('connector', spaceId, id);
  return row && toConnector(row);
}

export async function findConnectorByName(store: Store, spaceId: Id, name: string): Promise<Connector | undefined> {
  const row = await store.recordByKey('connector', spaceId, name);
  return row && toConnector(row);
}

function rowOf({ id, spaceId, createdAt, ...body }: Connector): RecordRow {
  return { family: 'connector', id, spaceId, key: body.name, createdAt, dueAt: null, body };
}

export function toConnector({ id, spaceId, createdAt, body }: RecordRow): Connector {
  return { id, spaceId: spaceId as Id, createdAt, ...(body as Omit<Connector, 'id' | 'spaceId' | 'createdAt'>) };
}

type Origin = Pick<DeviceRow, 'tagIds'>;

export function wants(connector: Connector, device: Origin, message: Pick<MessageRow, 'type' | 'direction'>): boolean {
  return (
    connector.state === 'enabled' &&
    connector.direction === message.direction &&
    connector.triggers.some((trigger) => trigger === triggerOf(message.type)) &&
    connector.tagIds.some((id) => device.tagIds.includes(id))
  );
}

function triggerOf(type: string): string {
  return type === 'decoder' || type === 'encoder' ? 'codec' : type;
}
