/** Published values, and dialogues with OpenSSL that were recorded: they need no OpenSSL on this machine. */
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../src/kernel/random.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import { DtlsClient } from '../../../src/protocol/dtls/client.js';
import { expand, masterSecret } from '../../../src/protocol/dtls/key-schedule.js';
import { protect, unprotect } from '../../../src/protocol/dtls/protection.js';
import { ReplayWindow } from '../../../src/protocol/dtls/replay-window.js';
import { DtlsServer } from '../../../src/protocol/dtls/server.js';
import { IDENTITY, PSK } from './pair.js';
import recorded from './recorded.json' with { type: 'json' };

const bytes = (hex: string): Uint8Array => Buffer.from(hex, 'hex');

it('P_SHA256 has the values that the TLS working group published', () => {
  const secret = bytes('9bbe436ba940f017b17652849a71db35');
  const seed = bytes('a0ba9f936cda311827a6f796ffd5198c');
  expect(Buffer.from(expand(secret, 'test label', seed, 100)).toString('hex')).toBe(
    [
      'e3f229ba727be17b8d122620557cd453c2aab21d07c3d495329b52d4e61edb5a6b301791e90d35c9c9a46b4e14baf9af0fa022f7077def17',
      'abfd3797c0564bab4fbc91666e9def9b97fce34f796789baa48082d122ee42c5a72e5a5110fff70187347b66',
    ].join(''),
  );
});

it('the master secret of RFC 5246, which is not extended, has the value that another implementation computes', () => {
  const randoms = { client: new Uint8Array(32).fill(1), server: new Uint8Array(32).fill(2) };
  // Computed with hashlib and hmac of Python 3, and the premaster secret of RFC 4279.
  expect(Buffer.from(masterSecret(PSK, randoms, undefined)).toString('hex')).toBe(
    'bd31e7a7893e2465e7f6f5d8705f73c11a710afa9573c418d0198e6dcf8d4078bdfc3f5a0d3230ef62cf55ca2c075150',
  );
});

describe('with the recorded datagrams of another implementation', () => {
  const at = { clock: new VirtualClock() };

  it.each(recorded.clients)('the server opens a connection and reads the data: $program', ({ datagrams, texts }) => {
    const events: string[] = [];
    const server = new DtlsServer({
      ...{ ...at, random: seededRandom('recorded') },
      events: {
        send: () => {},
        keyOf: (_, identity, answer) => answer(identity === IDENTITY ? PSK : undefined),
        opened: () => {},
        received: (_, plain) => events.push(Buffer.from(plain).toString()),
        closed: (_, ending) => events.push(ending.kind),
        failed: () => {},
      },
    });
    for (const datagram of datagrams) server.receive(bytes(datagram), 'recorded');
    expect(events).toEqual([...texts, 'closed']);
  });

  it.each(recorded.servers)('the client opens a connection and reads the data: $program', (recording) => {
    const events: string[] = [];
    const client = new DtlsClient({
      ...{ ...at, random: seededRandom('recorded'), identity: IDENTITY, psk: PSK },
      connectionId: bytes(recording.connectionId),
      events: {
        send: () => {},
        opened: () => events.push('opened'),
        received: (plain) => events.push(Buffer.from(plain).toString()),
        closed: () => {},
      },
    });
    client.start();
    for (const datagram of recording.datagrams) client.receiveDatagram(bytes(datagram));
    expect(events).toEqual(['opened', ...recording.texts]);
  });
});

describe('a record with a connection ID', () => {
  const keys = { key: bytes('000102030405060708090a0b0c0d0e0f'), salt: bytes('10111213') };
  const record = { type: 23, version: 0xfefd, epoch: 1, sequence: 5, id: bytes('01020304'), body: bytes('c00001') };

  it('hides its type, and shows it to the owner of the key', () => {
    const sealed = protect(keys, record);
    expect(sealed.type).toBe(25);
    expect(unprotect(keys, sealed)).toEqual({ type: 23, plain: Buffer.from('c00001', 'hex') });
  });

  it('is rejected with another connection ID, number or length', () => {
    const sealed = protect(keys, record);
    expect(unprotect(keys, { ...sealed, id: bytes('01020305') })).toBeUndefined();
    expect(unprotect(keys, { ...sealed, sequence: 6 })).toBeUndefined();
    expect(unprotect(keys, { ...sealed, body: sealed.body.subarray(0, 15) })).toBeUndefined();
  });
});

it('an empty record without a valid tag is rejected', () => {
  const keys = { key: bytes('000102030405060708090a0b0c0d0e0f'), salt: bytes('10111213') };
  const empty = { type: 23, version: 0xfefd, epoch: 1, sequence: 5, id: bytes(''), body: bytes('') };
  expect(unprotect(keys, protect(keys, empty))).toMatchObject({ type: 23 });
  expect(unprotect(keys, { ...empty, body: new Uint8Array(16) })).toBeUndefined();
});

describe('the replay window', () => {
  it('admits each of the last 64 numbers once', () => {
    const window = new ReplayWindow();
    for (const number of [0, 40, 100, 70]) window.remember(number);
    const open = Array.from({ length: 110 }, (_, number) => number).filter((number) => window.admits(number));
    const expected = Array.from({ length: 73 }, (_, n) => 37 + n).filter((n) => ![40, 70, 100].includes(n));
    expect(open).toEqual(expected);
  });

  it.each([1, 2, 31, 32, 33, 63, 64, 65, 200])('agrees with a list of all numbers after a step of %i', (step) => {
    const window = new ReplayWindow();
    const arrived = new Set<number>();
    const newest = () => Math.max(-1, ...arrived);
    const remember = (number: number) => {
      expect(window.remember(number)).toBe(number > newest());
      arrived.add(number);
    };
    // Late numbers at each edge of the window; the last number is a copy.
    for (const number of [0, 1, 3, 90, 89, 59, 58, 57, 27, 26, 25, 90]) remember(number);
    const numbers = Array.from({ length: 300 }, (_, number) => number);
    const compare = () => {
      const admitted = numbers.filter((number) => number > newest() - 64 && !arrived.has(number));
      expect(numbers.filter((number) => window.admits(number))).toEqual(admitted);
    };
    remember(90 + step);
    compare();
    // The first two are older than the window, which must not change it.
    for (const age of [64, 96, 1, 31, 32, 33, 63]) {
      remember(90 + step - age);
      compare();
    }
  });
});
