/** Devices with DTLS, through the service: over real UDP, and in memory. */
import { afterEach, describe, expect, it } from 'vitest';
import { entropy } from '../../src/kernel/entropy.js';
import { seededRandom } from '../../src/kernel/random.js';
import { RealClock } from '../../src/kernel/real-clock.js';
import { VirtualClock } from '../../src/kernel/virtual-clock.js';
import { startService } from '../../src/library/service.js';
import { DtlsServer } from '../../src/protocol/dtls/server.js';
import { datagramBytes } from '../../src/protocol/flap/envelope.js';
import { ACK, decodePacket, encodePacket, FIRST, LAST, NOTHING, POLL } from '../../src/protocol/flap/packet.js';
import { encodeUp } from '../../src/protocol/messages/index.js';
import { connectDtls } from '../../src/transport/dtls.js';
import { memoryPeers } from '../../src/transport/memory.js';
import { ownSockets } from '../../src/transport/own-sockets.js';
import { TOKEN } from '../support/cloud.js';
import { until } from '../support/until.js';

const SERIAL = 2_159_017_985;
const SECRET = '00112233445566778899aabbccddeeff';
const PSK = Buffer.from(SECRET, 'hex');
const SESSION = encodeUp({ kind: 'create-session', session: { serial_number: SERIAL, fw_version: 'v1.0.0' } });

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
});

it('a device opens its session over UDP, and continues it from another port', async () => {
  const service = await startService({ udpPort: null, udpDtlsPort: 0 });
  cleanUp.push(() => service.close());
  const device = { name: 'dtls', serial_number: String(SERIAL), token: TOKEN, secret: SECRET };
  await service.client.createDevice(device);
  const clock = new RealClock();
  const sockets = await ownSockets({ host: '127.0.0.1', port: Number(service.udpDtls), clock });
  const answers: (number | undefined)[] = [];
  const channel = connectDtls(
    { serial: SERIAL, psk: PSK, clock, random: entropy, inner: sockets },
    { receive: (plain) => answers.push(decodePacket(datagramBytes(plain))?.flags) },
  );
  channel.send(encodePacket({ flags: FIRST | LAST, sequence: 0, data: SESSION }));
  await until(() => answers.length === 1);
  channel.reopen();
  channel.send(encodePacket({ flags: POLL, sequence: 2, data: NOTHING }));
  await until(() => answers.length === 2);
  expect(answers).toEqual([ACK | POLL, FIRST | LAST]);
  await sockets.close();
  expect(clock.waiting).toBe(0);
});

/** A device with DTLS, and a server that echoes every packet. `restart` replaces the server by one without connections. */
function memoryWorld() {
  const clock = new VirtualClock();
  const handshakes: string[] = [];
  let served = 0;
  let sent = 0;
  const start = () =>
    new DtlsServer({
      ...{ clock, random: seededRandom(`server ${served++}`) },
      events: {
        send: (datagram, address) => peers.send(datagram, address),
        keyOf: (_, _identity, answer) => answer(PSK),
        opened: (_, identity) => handshakes.push(identity),
        received: (session, plain, address) => server.send(session, plain, address),
        closed: () => {},
        failed: () => {},
      },
    });
  let server = start();
  const peers = memoryPeers((datagram, address) => {
    sent++;
    clock.after(1, 'up', () => server.receive(datagram, address));
  });
  const answers: number[] = [];
  const channel = connectDtls(
    { serial: SERIAL, psk: PSK, clock, random: seededRandom('devices'), inner: peers.transport },
    { receive: (plain) => answers.push(datagramBytes(plain)[0] ?? 0) },
  );
  return {
    ...{ handshakes, answers, channel, clock, sent: () => sent },
    restart: () => {
      server = start();
    },
    send: async (byte: number) => {
      channel.send(Uint8Array.of(byte));
      await clock.runUntil(clock.now + 10_000);
    },
  };
}

describe('a device with DTLS', () => {
  it('sends the packet that began the handshake once the handshake is complete', async () => {
    const { send, answers, handshakes } = memoryWorld();
    await send(1);
    await send(2);
    expect([answers, handshakes]).toEqual([[1, 2], [`hsn:${SERIAL}`]]);
  });

  it('keeps its connection when it opens a new socket', async () => {
    const { send, channel, answers, handshakes } = memoryWorld();
    await send(1);
    channel.reopen();
    await send(2);
    expect([answers, handshakes.length]).toEqual([[1, 2], 1]);
  });

  it('begins a new handshake after three records without an answer', async () => {
    const { send, restart, answers, handshakes } = memoryWorld();
    await send(1);
    restart();
    for (const byte of [2, 3, 4, 5]) await send(byte);
    expect([answers, handshakes.length]).toEqual([[1, 5], 2]);
  });

  it('begins a new handshake after a reset of the device', async () => {
    const { send, channel, answers, handshakes } = memoryWorld();
    await send(1);
    channel.reset?.();
    await send(2);
    expect([answers, handshakes.length]).toEqual([[1, 2], 2]);
  });

  it('neither continues a handshake nor answers the cloud after a reset', async () => {
    const { channel, clock, handshakes, sent } = memoryWorld();
    channel.send(Uint8Array.of(1));
    channel.reset?.();
    const before = sent();
    await clock.runUntil(60_000);
    expect([before, sent(), handshakes]).toEqual([1, 1, []]);
  });

  it('sends only the newest of the packets that wait for the end of the handshake', async () => {
    const { channel, clock, answers } = memoryWorld();
    channel.send(Uint8Array.of(1));
    channel.send(Uint8Array.of(2));
    await clock.runUntil(100);
    expect(answers).toEqual([2]);
  });
});
