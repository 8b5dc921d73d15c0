/** The smallest parts of DTLS: fields of structures, alerts, cookies. */
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../src/kernel/random.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import { decodeAlert } from '../../../src/protocol/dtls/alerts.js';
import { ByteReader, sameBytes } from '../../../src/protocol/dtls/bytes.js';
import { Cookies } from '../../../src/protocol/dtls/cookies.js';

describe('a reader of bytes', () => {
  it('is complete when everything was read, and not before', () => {
    const reader = new ByteReader(Uint8Array.of(1, 2, 3));
    expect([reader.uint(2), reader.left, reader.complete]).toEqual([0x102, 1, false]);
    expect([reader.uint(1), reader.left, reader.complete]).toEqual([3, 0, true]);
  });

  it('returns nothing more after a read beyond the end, and is not complete', () => {
    const reader = new ByteReader(Uint8Array.of(1, 2));
    expect([reader.uint(3), reader.left, reader.uint(1), reader.complete]).toEqual([0, 0, 0, false]);
  });
});

it('sameBytes compares the number of bytes and each byte', () => {
  const [one, same] = [Uint8Array.of(1, 2), Uint8Array.of(1, 2)];
  expect(sameBytes(one, same)).toBe(true);
  expect(sameBytes(one, Uint8Array.of(1, 3))).toBe(false);
  expect(sameBytes(one, Uint8Array.of(1, 2, 3))).toBe(false);
  expect(sameBytes(one, Uint8Array.of(1))).toBe(false);
});

describe('an alert', () => {
  it.each([
    ['close_notify, which ends a connection', [1, 0], { name: 'close-notify', fatal: true }],
    ['a warning', [1, 100], { name: 'no-renegotiation', fatal: false }],
    ['an error', [2, 51], { name: 'decrypt-error', fatal: true }],
    ['an unknown error', [2, 49], { name: 'alert 49', fatal: true }],
  ])('is read: %s', (_, bytes, alert) => {
    expect(decodeAlert(Uint8Array.from(bytes))).toEqual(alert);
  });

  it.each([[[]], [[2]], [[2, 40, 0]]])('has two bytes: %j is not an alert', (bytes) => {
    expect(decodeAlert(Uint8Array.from(bytes))).toBeUndefined();
  });
});

it('a cookie is valid in the minute in which it was made and in the next one', async () => {
  const clock = new VirtualClock();
  const cookies = new Cookies(clock, seededRandom('cookies'));
  const hello = { version: 0xfefd, random: new Uint8Array(32), suites: [1], extensions: new Map() };
  const first = { ...hello, sessionId: new Uint8Array(0), cookie: new Uint8Array(0) };
  const second = { ...first, cookie: cookies.make(first, 'a:1') };
  const valid: boolean[] = [];
  for (const time of [59_999, 60_000, 119_999, 120_000]) {
    await clock.runUntil(time);
    valid.push(cookies.isValid(second, 'a:1'));
  }
  expect(valid).toEqual([true, true, true, false]);
});
