/**
 * The meters in range of a device's receiver: their numbers, transmission times, signal strengths and frames. All of this is
 * computed from a seed and a time; the meters have no state.
 *
 * A frame has the header of EN 13757-4 (length, control, manufacturer, number in BCD, version, type, control information),
 * followed by random bytes in place of encrypted readings. It has no checksums: a receiver removes them.
 */

import { noise } from '../../kernel/random.js';
import type { Millis, UnixMillis } from '../../kernel/time.js';
import type { Dbm } from '../../kernel/units.js';
import type { MetersSpec } from '../../profile/profile.js';

export interface Frame {
  readonly meter: number;
  /** dBm, a whole number. */
  readonly rssi: Dbm;
  readonly bytes: Uint8Array;
}

/** A frame received in a scan; `after` is the time since the start of the scan. */
export interface Heard extends Frame {
  readonly after: Millis;
}

/** Numbers of the meters around a device, besides those on its list: eight digits each. */
export function neighbours(around: MetersSpec, seed: number): readonly number[] {
  return Array.from({ length: around.count }, (_, n) => 10_000_000 + Math.floor(89_999_999 * noise(seed, -100 - n)));
}

/** A meter's first frame in a scan from `start` of `lasts` for each antenna; undefined if none is received. */
export function listen(
  around: MetersSpec,
  meter: number,
  deviceSeed: number,
  start: UnixMillis,
  lasts: Millis,
  antennas: number,
): Heard | undefined {
  const seed = (deviceSeed ^ Math.imul(meter, 0x9e37_79b1)) | 0;
  const [shortest, longest] = around.every;
  const period = shortest + (longest - shortest) * noise(seed, -1);
  for (let antenna = 0; antenna < antennas; antenna++) {
    // Whether an antenna receives a meter depends only on their positions: always, or never.
    if (noise(seed, -10 - antenna) < around.unheard) continue;
    const begins = start + antenna * lasts;
    const sends = Math.ceil(begins / period + noise(seed, -2)) * period - noise(seed, -2) * period;
    const after = Math.round(sends - start);
    if (after > (antenna + 1) * lasts) continue;
    const [weakest, strongest] = around.rssi;
    const usual = weakest + (strongest - weakest) * noise(seed, -3);
    const rssi = Math.round(usual + 4 * noise(seed, start) - 2);
    return { meter, rssi, bytes: frameOf(meter, seed, start), after };
  }
  return undefined;
}

/** A frame of a made-up meter, for testing reports without a scan (shell: `wm push`). */
export function madeUpFrame(seed: number, at: UnixMillis): Frame {
  return { meter: MADE_UP, rssi: -65, bytes: frameOf(MADE_UP, seed, at) };
}

const MADE_UP = 81_763_000;
const PAYLOAD = 32;
/** Manufacturer code `GHF`, 5 bits a letter; real codes are registered. */
const MANUFACTURER = (('G'.charCodeAt(0) - 64) << 10) | (('H'.charCodeAt(0) - 64) << 5) | ('F'.charCodeAt(0) - 64);
/** Electricity, heat, water. */
const KINDS = [0x02, 0x04, 0x07] as const;

function frameOf(meter: number, seed: number, at: UnixMillis): Uint8Array {
  const frame = new Uint8Array(15 + PAYLOAD);
  const view = new DataView(frame.buffer);
  frame[0] = frame.length - 1;
  frame[1] = 0x44;
  view.setUint16(2, MANUFACTURER, true);
  view.setUint32(4, Number.parseInt(String(meter % 100_000_000), 16), true);
  frame[8] = 1;
  frame[9] = KINDS[Math.floor(noise(seed, -4) * KINDS.length)] ?? KINDS[0];
  // A short header: access number, status, and a configuration word for encryption mode 5 with two blocks of 16 bytes.
  frame[10] = 0x7a;
  frame[11] = Math.floor(256 * noise(seed, at + 1));
  view.setUint16(13, 0x0520, true);
  for (let n = 15; n < frame.length; n++) frame[n] = Math.floor(256 * noise(seed, at + n));
  return frame;
}
