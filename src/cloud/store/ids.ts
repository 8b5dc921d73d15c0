/**
 * Ids of rows: UUIDs, version 7. Timeline entries have ids of another form (order.ts).
 *
 * The first 48 bits of an id are the creation time. So the order of ids is the order of creation, and an id serves as a cursor
 * (cloud C-7). Time and randomness are parameters: in a simulation the same seed gives the same ids.
 *
 * The clock of a machine can be corrected, and the clocks of two services differ. Ids follow the clock. But the ids of the
 * stored messages of one device always increase, because they order these messages (ADR 16). The commit rejects a message whose
 * id is too small; in-order.ts then repeats the commit with a greater id.
 */
import { v7 } from 'uuid';
import type { Clock } from '../../kernel/clock.js';
import { type Random, randomBytes } from '../../kernel/random.js';
import { type Millis, seconds } from '../../kernel/time.js';
import { timeOfId } from './order.js';
import type { DeviceRow, Id } from './store.js';

export interface Ids {
  /**
   * Returns a new UUID, version 7, greater than every id that this method has returned before, unless the clock was corrected.
   */
  uuid(): Id;
  /** Returns a new UUID, version 7, for the device with this serial number or for a record of it. */
  ofDevice(serial: number): Id;
  /** The id of a new message, greater than a learned one. It may be below a stored one if a clock was set back or is ahead. */
  message(device: Owner): Id;
  /** Learns the id of the newest stored message of a device: further messages of the device get greater ids. */
  learn(deviceId: Id, newest: Id): void;
}

type Owner = Pick<DeviceRow, 'id' | 'serial'>;

/** If the clock goes back by more than this, it was corrected, and ids follow it. */
const CORRECTION = seconds(1);
const LAST_SEQUENCE = 0xffff_ffff;

/**
 * Creates a source of ids. Each id depends on `clock.wall` and on draws from `random`, in the order of the calls.
 * @param onCorrection called with the difference if the calendar time jumps by more than a second
 */
export function createIds(clock: Clock, random: Random, onCorrection: (by: Millis) => void = () => {}): Ids {
  let lastMs = Number.NEGATIVE_INFINITY;
  let sequence = 0;
  /** Calendar time minus elapsed time: constant unless the clock is corrected. */
  let offset = clock.wall - clock.now;
  const watchClock = (wall: number) => {
    const by = wall - clock.now - offset;
    offset += by;
    if (Math.abs(by) > CORRECTION) onCorrection(by);
  };

  const uuid = (): Id => {
    const bytes = randomBytes(random, 16);
    const wall = clock.wall;
    watchClock(wall);
    const now = Math.floor(wall);
    if (now > lastMs || now < lastMs - CORRECTION) {
      lastMs = now;
      // The first number has 31 bits, so two thousand million more ids fit into the same millisecond before the 32-bit field
      // overflows.
      sequence = Math.floor(random.next() * 2_147_483_648);
    } else {
      sequence++;
    }
    return v7({ msecs: lastMs, seq: sequence, random: bytes });
  };

  return { uuid, ofDevice: uuid, ...inSequence(uuid, random) };
}

/** Ids of messages: new ids of `fresh`, unless the device has messages that are ahead of the clock. */
export function inSequence(fresh: (serial: number) => Id, random: Random): Pick<Ids, 'message' | 'learn'> {
  /** Newest ids of devices whose messages are ahead of the clock. */
  const ahead = new Map<Id, Id>();
  return {
    message({ id: deviceId, serial }) {
      const id = fresh(serial);
      const newest = ahead.get(deviceId);
      if (newest === undefined) return id;
      if (id > newest) {
        ahead.delete(deviceId);
        return id;
      }
      const next = successor(newest, random);
      ahead.set(deviceId, next);
      return next;
    },
    learn(deviceId, newest) {
      const known = ahead.get(deviceId);
      if (known === undefined || known < newest) ahead.set(deviceId, newest);
    },
  };
}

/** The id after `id`: in the same millisecond, or in the next millisecond if `id` has the last sequence number. */
function successor(id: Id, random: Random): Id {
  const sequence = sequenceOf(id);
  const ms = timeOfId(id);
  const place = sequence < LAST_SEQUENCE ? { msecs: ms, seq: sequence + 1 } : { msecs: ms + 1, seq: 0 };
  return v7({ ...place, random: randomBytes(random, 16) });
}

/** The sequence number: the 32 bits after time and version, without the bits of the variant (package `uuid`, version 7). */
function sequenceOf(id: Id): number {
  const bytes = Buffer.from(id.replaceAll('-', '').slice(12, 22), 'hex');
  const [b6 = 0, b7 = 0, b8 = 0, b9 = 0, b10 = 0] = bytes;
  return (((b6 & 0x0f) << 28) | (b7 << 20) | ((b8 & 0x3f) << 14) | (b9 << 6) | (b10 >> 2)) >>> 0;
}
