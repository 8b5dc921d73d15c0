/** Corrupted datagrams: each is rejected and counted, and only sent messages are stored. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { integerBetween, type Random, seededRandom } from '../../../src/kernel/random.js';
import { encodeCbor } from '../../../src/protocol/cbor.js';
import { compileCodec } from '../../../src/protocol/codec.js';
import { type DeviceStep, DeviceTransfer } from '../../../src/protocol/flap/device-transfer.js';
import {
  type EnvelopeFormat,
  FRAGMENT_SIZE,
  hasValidTag,
  open,
  seal,
  tokenBytes,
} from '../../../src/protocol/flap/envelope.js';
import { LONGEST_MESSAGE, type Packet } from '../../../src/protocol/flap/packet.js';
import { encodeUp } from '../../../src/protocol/messages/index.js';
import { SERIAL, TOKEN, testCloud } from '../../support/cloud.js';

const TOKEN_BYTES = tokenBytes(TOKEN);
const DECODER = compileCodec({
  version: 2,
  type: 'decoder',
  name: 'test',
  schema: [
    { name: 'number', value: null },
    { name: 'text', value: null },
  ],
});
const UPLOAD_DECODER = encodeUp({ kind: 'upload-decoder', hash: DECODER.hash, document: DECODER.bytes });
/** Some of the bodies fit into one packet, others need several. */
const bodyOf = (n: number) => ({ number: n, text: 'x'.repeat((n % 4) * 300) });
const messageOf = (n: number) => {
  const { number, text } = bodyOf(n);
  return encodeUp({
    kind: 'upload-data',
    hash: DECODER.hash,
    body: encodeCbor(
      new Map<number, number | string>([
        [0, number],
        [1, text],
      ]),
    ),
  });
};
const MESSAGES = 6;
const MOST_TRIES = 400;

/** A device repeats each message until it is acknowledged, over a wire that flips bits in both directions. */
async function sendAll(random: Random, share: number, format: EnvelopeFormat) {
  const cloud = await testCloud();
  const device = await cloud.addDevice();
  const transfer = new DeviceTransfer(FRAGMENT_SIZE[format].up, LONGEST_MESSAGE);
  let refused = 0;
  let spoils = share;
  const passing = (datagram: Uint8Array): Uint8Array => {
    if (random.next() >= spoils) return datagram;
    const spoiled = Uint8Array.from(datagram);
    const bit = integerBetween(random, 0, 8 * datagram.length - 1);
    spoiled[bit >> 3] = (spoiled[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    return spoiled;
  };
  /** Whether a datagram is valid. It may be valid even after a bit was flipped, because some bits of base64 have no meaning. */
  const means = (datagram: Uint8Array): boolean => {
    const envelope = open(datagram, format);
    return envelope?.serial === SERIAL && hasValidTag(envelope, TOKEN_BYTES);
  };
  const exchange = async (packet: Packet): Promise<Packet | 'unreadable' | undefined> => {
    const arriving = passing(seal(packet, SERIAL, TOKEN_BYTES, format));
    if (!means(arriving)) refused++;
    const [answer] = await cloud.deliver(arriving, format);
    if (answer === undefined) return undefined;
    const arrived = passing(answer);
    return means(arrived) ? open(arrived, format)?.packet : 'unreadable';
  };
  const send = async (message: Uint8Array): Promise<void> => {
    let step: DeviceStep = transfer.startUplink(message);
    for (let tries = 0; step.kind !== 'uplink-done'; tries++) {
      if (tries === MOST_TRIES) throw new Error('the message never arrives');
      if (step.kind === 'send') {
        const answer = await exchange(step.packet);
        if (answer !== undefined) step = transfer.answered(answer);
      } else {
        step = transfer.startUplink(message);
      }
      await cloud.clock.runUntil(cloud.clock.now + 10_000);
    }
  };
  spoils = 0;
  await send(UPLOAD_DECODER);
  spoils = share;
  for (let n = 0; n < MESSAGES; n++) await send(messageOf(n));
  const stored = (await cloud.messages(device)).filter(({ type }) => type === 'data').map(({ body }) => body);
  return { cloud, stored, refused };
}

it.each(['base64', 'raw'] as const)(
  'corrupted datagrams (%s) are rejected and counted, and only sent messages are stored',
  async (format) => {
    const property = fc.asyncProperty(fc.nat(), fc.double({ min: 0, max: 0.4, noNaN: true }), async (seed, share) => {
      const { cloud, stored, refused } = await sendAll(seededRandom(`${seed}`), share, format);
      expect(stored).toEqual(Array.from({ length: MESSAGES }, (_, n) => bodyOf(n)));
      const { unreadable, badTag, unknownSerial } = cloud.gateway.counters;
      expect(unreadable + badTag + unknownSerial).toBe(refused);
      expect(cloud.events.filter(({ kind }) => kind === 'cloud.refused')).toHaveLength(refused);
    });
    await fc.assert(property, { numRuns: 60 });
  },
);
