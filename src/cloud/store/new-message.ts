/** New rows of the message table. */
import type { Clock } from '../../kernel/clock.js';
import type { Ids } from './ids.js';
import { timeOfId } from './order.js';
import type { DeviceRow, MessageRow } from './store.js';

/** A message with the present time, or that of its id if the clock was set back. A downlink starts `pending`. */
export function newMessage(
  ids: Ids,
  clock: Clock,
  device: Pick<DeviceRow, 'id' | 'spaceId' | 'serial'>,
  direction: 'up' | 'down',
  type: string,
  body: unknown,
  more: Partial<Pick<MessageRow, 'codecHash' | 'raw' | 'fingerprint'>> = {},
): MessageRow {
  const wall = clock.wall;
  const id = ids.message(device);
  const now = Math.max(wall, timeOfId(id));
  const down = direction === 'down';
  return {
    id,
    spaceId: device.spaceId,
    deviceId: device.id,
    createdAt: now,
    type,
    direction,
    body,
    codecHash: more.codecHash ?? null,
    raw: more.raw ?? null,
    fingerprint: more.fingerprint ?? null,
    downState: down ? 'pending' : null,
    downStateAt: down ? now : null,
    downScheduledAt: down ? now : null,
    downAttempt: 0,
    downAnsweredAt: null,
  };
}
