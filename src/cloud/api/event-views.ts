/**
 * An event in the form of the resource's list. It is made once for all readers with the same rights: a space may have 200
 * readers, and a message 1 MB.
 */
import type { Static } from 'typebox';
import type { DownlinkStation, HealthEvent } from '../../contract/events.js';
import type { Health } from '../../contract/health.js';
import { isoTime } from '../../kernel/calendar.js';
import type { Clock } from '../../kernel/clock.js';
import { findConnector } from '../connectors/connector.js';
import { toDelivery } from '../connectors/delivery.js';
import type { Entry } from '../events/feed.js';
import { jobOf } from '../firmware/job.js';
import { framed } from '../http/event-stream.js';
import { serialText } from '../store/order.js';
import type { DeviceRow, EventRow, Id, ListedMessage, MessageQuery, Store, TimelineRow } from '../store/store.js';
import { type Caller, mayChange } from './access.js';
import { deliveryView } from './deliveries.js';
import { deviceViews, healthView } from './device-view.js';
import type { ApiOptions } from './family.js';
import { updateView } from './firmware.js';
import { Masking } from './masking.js';
import { messageView } from './messages.js';

/** Filters of a reader, except that of the kinds of events. */
interface EventFilter extends Pick<MessageQuery, 'types' | 'direction' | 'onlyUp'> {
  readonly deviceId: Id | undefined;
  readonly tagId: Id | undefined;
}

interface ViewContext {
  readonly store: Store;
  readonly clock: Clock;
  readonly caller: Caller;
  readonly options: ApiOptions;
}

/** The views of entries that are in memory, by audience: all readers of an audience get the same bytes. */
const views = new WeakMap<Entry, Map<string, Promise<Buffer | undefined>>>();

/** An event as a reader gets it, without its id; undefined if the reader may not see it, or if its row was deleted. */
export async function eventBytes(entry: Entry, context: ViewContext): Promise<Buffer | undefined> {
  const { store, caller } = context;
  const { scope, role } = caller.access;
  if (scope !== null && !entry.device?.tagIds.some((id) => scope.includes(id))) return undefined;
  const isMasked = !(await mayChange(store, caller, entry.device?.tagIds ?? []));
  const isPersonal = entry.row.kind === 'device' || entry.row.kind === 'delivery';
  const audience = JSON.stringify(isPersonal ? [isMasked, role, scope] : isMasked);
  const known = views.get(entry) ?? new Map<string, Promise<Buffer | undefined>>();
  views.set(entry, known);
  const made = known.get(audience) ?? viewOf(entry, context, isMasked);
  known.set(audience, made);
  // After a failure, such as one of the store, the next reader tries again.
  made.catch(() => known.delete(audience));
  return made;
}

async function viewOf(entry: Entry, context: ViewContext, isMasked: boolean): Promise<Buffer | undefined> {
  const data = await dataOf(entry, context, isMasked ? new Masking(entry.device) : undefined);
  return data === undefined ? undefined : framed(entry.row.kind, data);
}

/** Whether a reader asks for an event. */
export function isWanted({ row, device, message }: Entry, filter: EventFilter): boolean {
  const { tagId } = filter;
  const deviceId = row.deviceId ?? device?.id;
  return (
    (filter.deviceId === undefined || filter.deviceId === deviceId) &&
    (tagId === undefined || (device?.tagIds.includes(tagId) ?? false)) &&
    (message === undefined || isWantedMessage(message, filter))
  );
}

function isWantedMessage({ type, direction }: ListedMessage, filter: EventFilter): boolean {
  return (
    (filter.types === undefined || filter.types.includes(type)) &&
    (filter.direction === undefined || filter.direction === direction) &&
    (direction === 'up' || !(filter.onlyUp?.includes(type) ?? false))
  );
}

async function dataOf(entry: Entry, { store, clock, caller, options }: ViewContext, masking: Masking | undefined) {
  const { row, device, message, record } = entry;
  switch (row.kind) {
    case 'message':
      return message && messageView(masking?.message(message) ?? message, options);
    case 'downlink':
      return message && stationView(message, row.detail as Station, masking);
    case 'device': {
      if (!device)
        return row.detail === 'deleted' ? { device_id: row.ref, change: 'deleted', device: null } : undefined;
      const [view] = await deviceViews({ store, clock }, caller)([device]);
      return { device_id: row.ref, change: row.detail, device: view };
    }
    case 'health':
      return device && healthChange(device, row, masking);
    case 'delivery': {
      // Connectors are hidden from keys with tags.
      const delivery = record && caller.access.scope === null ? toDelivery(record) : undefined;
      const connector = delivery && (await findConnector(store, row.spaceId, delivery.connectorId));
      const view = connector && deliveryView(delivery, connector, caller.access);
      return view && { ...view, log: masking?.value(view.log) ?? view.log };
    }
    case 'firmware':
      return record && updateView(jobOf(record));
    default:
      return row.kind satisfies never;
  }
}

function healthChange(
  device: DeviceRow,
  { at, detail }: EventRow,
  masking: Masking | undefined,
): Static<typeof HealthEvent> {
  const { last_contact, contact_every } = healthView(device, at);
  return {
    device_id: device.id,
    device_name: String(masking?.value(device.name) ?? device.name),
    device_serial_number: serialText(device.serial),
    at: isoTime(at),
    // The cast is safe because the health watch has written it.
    health: detail as Health,
    ...{ last_contact, contact_every },
  };
}

type Station = Pick<TimelineRow, 'what' | 'at' | 'detail'>;

function stationView(
  message: ListedMessage,
  { what, at, detail }: Station,
  masking: Masking | undefined,
): Static<typeof DownlinkStation> {
  return {
    message_id: message.id,
    device_id: message.deviceId,
    device_name: message.deviceName,
    device_serial_number: serialText(message.deviceSerial),
    type: message.type,
    at: isoTime(at),
    what,
    detail: masking?.value(detail) ?? detail,
    down_state: message.downState,
  };
}
