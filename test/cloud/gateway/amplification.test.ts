/**
 * For each byte that came from an address that is not proven to be that of a device, the gateway sends at most three bytes to
 * this address (docs/SECURITY.md, "Replayed datagrams").
 */
import { describe, expect, it } from 'vitest';
import { FlapGateway } from '../../../src/cloud/gateway/flap-gateway.js';
import { hours, type Millis, seconds } from '../../../src/kernel/time.js';
import { type Datagram, type EnvelopeFormat, seal, tokenBytes } from '../../../src/protocol/flap/envelope.js';
import { ACK, FIRST, LAST, NOTHING, type Packet, POLL } from '../../../src/protocol/flap/packet.js';
import { encodeUp } from '../../../src/protocol/messages/index.js';
import { QUIET, SERIAL, TOKEN, testCloud } from '../../support/cloud.js';

const HOME = { host: '10.0.0.1', port: 40_000 };
const VICTIM = { host: '198.51.100.7', port: 9 };
const MOST = 3;

const SESSION = encodeUp({ kind: 'create-session', session: { serial_number: SERIAL, fw_version: 'v1.0.0' } });
const LONG = encodeUp({ kind: 'upload-data', hash: '0000000000000000', body: new Uint8Array(600) });
const single = (sequence: number, data: Uint8Array) => ({ flags: FIRST | LAST, sequence, data });
const poll = (sequence: number) => ({ flags: POLL, sequence, data: NOTHING });
const ack = (sequence: number) => ({ flags: ACK, sequence, data: NOTHING });

/** A device starts a session, sends a report in two fragments, and fetches a long command. */
const DIALOGUE: readonly Packet[] = [
  ...[single(0, SESSION), poll(2), ack(4)],
  ...[
    { flags: FIRST, sequence: 5, data: LONG.subarray(0, 300) },
    { flags: LAST, sequence: 7, data: LONG.subarray(300) },
  ],
  ...[poll(9), ack(11), poll(12)],
];

async function attacked(format: EnvelopeFormat) {
  const cloud = await testCloud();
  const device = await cloud.addDevice();
  const trace = { emit: () => {} };
  const gateway = new FlapGateway({ core: cloud.core, clock: cloud.clock, trace, log: QUIET });
  const bytes = { in: 0, out: 0, most: 0 };
  const wire = (packet: Packet, { serial = SERIAL, token = TOKEN } = {}) => {
    return seal(packet, serial, tokenBytes(token), format);
  };
  const deliver = async (datagram: Uint8Array, source = VICTIM) => {
    const isVictim = source === VICTIM;
    if (isVictim) bytes.in += datagram.length;
    const reply = (answer: Datagram) => {
      if (isVictim) bytes.out += answer.length;
    };
    gateway.receive(datagram, format, reply, source);
    await gateway.idle();
    if (isVictim) bytes.most = Math.max(bytes.most, bytes.out / bytes.in);
  };
  const wait = (time: Millis) => cloud.clock.runUntil(cloud.clock.now + time);
  /** The dialogue of the device itself, which the attacker records. */
  const live = async () => {
    await cloud.core.queue(device, { type: 'shell', commands: ['x'.repeat(300)] });
    for (const packet of DIALOGUE) await deliver(wire(packet), HOME);
    await cloud.core.queue(device, { type: 'shell', commands: ['y'.repeat(300)] });
  };
  return { bytes, wire, deliver, wait, live };
}

describe.each(['raw', 'base64'] as const)(
  'for %s datagrams, the gateway sends to an unproven address at most three times the bytes that came from it',
  (format) => {
    it.each([
      ['bytes without a meaning', () => new Uint8Array(20).fill(65), undefined],
      ['an unknown serial number', undefined, { serial: 1 }],
      ['a wrong tag', undefined, { token: 'f'.repeat(32) }],
    ] as const)('for %s', async (_, garbage, as) => {
      const { bytes, wire, deliver, live } = await attacked(format);
      await live();
      for (let n = 0; n < 40; n++) await deliver(garbage?.() ?? wire(poll(n), as));
      expect(bytes.most).toBeLessThanOrEqual(MOST);
    });

    it.each([0, seconds(61), hours(5)])('for copies of a whole dialogue, %i ms later', async (later) => {
      const { bytes, wire, deliver, wait, live } = await attacked(format);
      await live();
      await wait(later);
      for (const packet of DIALOGUE) for (let copy = 0; copy < 30; copy++) await deliver(wire(packet));
      expect(bytes.in).toBeGreaterThan(0);
      expect(bytes.most).toBeLessThanOrEqual(MOST);
    });

    it('for the copy of a session start and 100 copies of a poll', async () => {
      const { bytes, wire, deliver, wait, live } = await attacked(format);
      await live();
      await wait(seconds(61));
      await deliver(wire(single(0, SESSION)));
      for (let copy = 0; copy < 100; copy++) await deliver(wire(poll(2)));
      expect(bytes.out).toBeGreaterThan(0);
      expect(bytes.most).toBeLessThanOrEqual(MOST);
    });

    it('for many copies of the first fragment of a message', async () => {
      const { bytes, wire, deliver, wait, live } = await attacked(format);
      await live();
      await wait(seconds(61));
      for (let copy = 0; copy < 50; copy++)
        await deliver(wire({ flags: FIRST, sequence: 0, data: SESSION.subarray(0, 1) }));
      expect(bytes.most).toBeLessThanOrEqual(MOST);
    });
  },
);
