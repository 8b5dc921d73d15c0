/**
 * Ids for simulations: the ids of a device depend only on its serial number, the time and the seed, not on other devices. So a
 * fleet has the same ids however it is divided among several services (ADR 17).
 *
 * Within a millisecond, the ids of different devices are not in the order of the calls. A service for real devices uses
 * `createIds`: its clients page by id and would miss a message that gets a smaller id than one they have seen.
 */
import { v7 } from 'uuid';
import type { Clock } from '../../kernel/clock.js';
import { noise, noiseSeed, type Random } from '../../kernel/random.js';
import type { UnixMillis } from '../../kernel/time.js';
import { createIds, type Ids, inSequence } from './ids.js';
import type { Id } from './store.js';

/** A source of ids. The time in an id is `clock.wall`. The other bits follow from `random`, and from the serial number. */
export function createIdsByDevice(clock: Clock, random: Random): Ids {
  const seed = noiseSeed(random.fork('devices'));
  let lastMs: UnixMillis | undefined;
  /** How many ids the devices got in this millisecond, by serial number. */
  const given = new Map<number, number>();

  const ofDevice = (serial: number): Id => {
    const msecs = Math.floor(clock.wall);
    if (msecs !== lastMs) given.clear();
    lastMs = msecs;
    const count = given.get(serial) ?? 0;
    given.set(serial, count + 1);
    return idOf(seed, serial, msecs, count);
  };

  return { uuid: createIds(clock, random).uuid, ofDevice, ...inSequence(ofDevice, random.fork('ahead')) };
}

/** Reused for every id, because the package `uuid` copies the bytes. */
const bytes = new Uint8Array(16);

/** The last four bytes of an id are the serial number XOR a number from the seed, so two devices never get the same id. */
function idOf(seed: number, serial: number, msecs: UnixMillis, count: number): Id {
  const own = noise(seed, serial) * 4_294_967_296;
  const base = Math.floor(noise(own, msecs) * 2_147_483_648);
  const masked = serial ^ seed;
  bytes[10] = Math.floor(own);
  bytes[11] = Math.floor(noise(own, msecs + 1) * 256);
  bytes[12] = masked >>> 24;
  bytes[13] = masked >>> 16;
  bytes[14] = masked >>> 8;
  bytes[15] = masked;
  return v7({ msecs, seq: base + count, random: bytes });
}
