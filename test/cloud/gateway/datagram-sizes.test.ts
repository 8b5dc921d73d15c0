/** No datagram of a device or of the cloud is longer than the buffer of the other end (wire W-4). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CHESTER } from '../../../src/device/family/chester.js';
import { HIO } from '../../../src/device/family/hio.js';
import { DeviceTransfer } from '../../../src/protocol/flap/device-transfer.js';
import {
  type Datagram,
  datagramBytes,
  FRAGMENT_SIZE,
  type PacketFormat,
  seal,
  tokenBytes,
} from '../../../src/protocol/flap/envelope.js';
import { decodePacket, encodePacket, type Packet } from '../../../src/protocol/flap/packet.js';
import { type DownMessage, encodeDown } from '../../../src/protocol/messages/index.js';
import { SERIAL, TOKEN, testCloud, unseal } from '../../support/cloud.js';

/**
 * Size of the datagram buffers of CHESTER (`m_buf_0`) and hio devices (`HIO_LTE_UDP_MAX_MTU`). A DTLS record needs 27 bytes for
 * itself.
 */
const MOST = { base64: 508, raw: 508, dtls: 481 } as const;

const text = (length: number) => 'x'.repeat(length);
const size = fc.integer({ min: 1, max: 14_000 });
const name = fc.string({ unit: 'grapheme', maxLength: 300 });
const lines = fc.array(fc.integer({ min: 0, max: 255 }).map(text), { minLength: 1, maxLength: 60 });

/** Messages of every kind that the cloud sends. */
const messages: fc.Arbitrary<DownMessage> = fc.oneof(
  fc.record({
    kind: fc.constant('set-session' as const),
    sessionId: fc.integer({ min: 1, max: 0xffff_ffff }),
    timestamp: fc.integer({ min: 0, max: 4_102_444_799 }),
    decoderHash: fc.constant('0123456789abcdef'),
    deviceId: name,
    deviceName: name,
  }),
  fc.record({ kind: fc.constant('set-timestamp' as const), timestamp: fc.integer({ min: 0, max: 4_102_444_799 }) }),
  lines.map((lines) => ({ kind: 'download-config' as const, lines })),
  lines.map((commands) => ({ kind: 'download-shell' as const, commands, messageId: new Uint8Array(16) })),
  size.map((length) => ({ kind: 'download-data' as const, hash: '0123456789abcdef', body: new Uint8Array(length) })),
  size.map((length) => ({
    kind: 'download-firmware' as const,
    target: 'app',
    type: 'chunk',
    updateId: new Uint8Array(16),
    offset: 0,
    data: new Uint8Array(length),
    size: length,
  })),
);

/** Every datagram of the cloud for this message, in order, and the message that a device reads from them. */
async function fetched(message: Uint8Array, format: PacketFormat) {
  const { gateway, core, addDevice } = await testCloud();
  const { id: deviceId } = await addDevice();
  Object.assign(core, { hasNothing: () => false, take: async () => message });
  const sizes: number[] = [];
  const answerTo = async (packet: Packet): Promise<Packet | undefined> => {
    const answers: Uint8Array[] = [];
    const reply = (answer: Datagram) => answers.push(datagramBytes(answer));
    if (format === 'dtls') gateway.receivePlain(encodePacket(packet), { serial: SERIAL, deviceId }, reply);
    else gateway.receive(seal(packet, SERIAL, tokenBytes(TOKEN), format), format, reply);
    await gateway.idle();
    const [answer] = answers;
    if (answer === undefined) return undefined;
    sizes.push(answer.length);
    return format === 'dtls' ? decodePacket(answer) : unseal(answer, TOKEN, format);
  };
  const device = new DeviceTransfer(FRAGMENT_SIZE[format].up, 20_000);
  let step: ReturnType<typeof device.answered> = device.startPoll();
  while (step.kind === 'send') {
    const answer = await answerTo(step.packet);
    if (answer === undefined) throw new Error('no answer');
    step = device.answered(answer);
  }
  return { sizes, message: step.kind === 'poll-done' ? step.message : undefined };
}

describe.each(['base64', 'raw', 'dtls'] as const)('the cloud, in %s', (format) => {
  it('sends every message in datagrams that fit, and the device reads the whole message', async () => {
    const arbitrary = fc.asyncProperty(messages, async (message) => {
      const bytes = encodeDown(message);
      const { sizes, message: read } = await fetched(bytes, format);
      expect(Math.max(...sizes)).toBeLessThanOrEqual(MOST[format]);
      expect(read).toEqual(bytes);
    });
    await fc.assert(arbitrary, { numRuns: 60 });
  });
});

describe('a device', () => {
  it.each([
    ['CHESTER', 'base64', FRAGMENT_SIZE.base64.up],
    ['CHESTER', 'raw', CHESTER.transfers.rawFragments.up],
    ['hio', 'raw', HIO.transfers.rawFragments.up],
    ['hio', 'dtls', FRAGMENT_SIZE.dtls.up],
  ] as const)('of the family %s sends every message in datagrams that fit, in %s', (_, format, up) => {
    const arbitrary = fc.property(size, (length) => {
      const device = new DeviceTransfer(up, 20_000);
      let step: ReturnType<typeof device.answered> = device.startUplink(new Uint8Array(length));
      for (let sequence = 1; step.kind === 'send'; sequence += 2) {
        const { packet } = step;
        const datagram = format === 'dtls' ? encodePacket(packet) : seal(packet, SERIAL, tokenBytes(TOKEN), format);
        expect(datagram.length).toBeLessThanOrEqual(MOST[format]);
        step = device.answered({ flags: 2, sequence, data: new Uint8Array(0) });
      }
      expect(step.kind).toBe('uplink-done');
    });
    fc.assert(arbitrary, { numRuns: 60 });
  });
});
