/**
 * Sends handshakes and records to the DTLS port of a service, many of them changed on their way, in both directions. A correct
 * handshake must succeed at the end.
 */
import { createSocket } from 'node:dgram';
import { integerBetween, type Random, randomBytes } from '../../src/kernel/random.js';
import { RealClock } from '../../src/kernel/real-clock.js';
import { seconds } from '../../src/kernel/time.js';
import { DtlsClient } from '../../src/protocol/dtls/client.js';
import { keyIdentity } from '../../src/protocol/dtls/identity.js';
import { encodePacket, NOTHING, POLL } from '../../src/protocol/flap/packet.js';

interface DtlsTarget {
  readonly port: number;
  readonly serial: number;
  /** Key of the device in hex digits. */
  readonly secret: string;
}

/** Sends until `isRunning` is false. Returns the number of datagrams, and whether the handshake at the end succeeded. */
export async function fuzzDtls(
  target: DtlsTarget,
  random: Random,
  isRunning: () => boolean,
): Promise<{ readonly count: number; readonly opened: boolean }> {
  let count = 0;
  while (isRunning()) count += (await attempt(target, random, true)).count;
  const { opened } = await attempt(target, random, false);
  return { count, opened };
}

async function attempt({ port, serial, secret }: DtlsTarget, random: Random, hostile: boolean) {
  const socket = createSocket('udp4');
  const clock = new RealClock();
  let count = 0;
  let opened = false;
  const transmit = (datagram: Uint8Array) => {
    count++;
    socket.send(hostile ? changed(datagram, random) : datagram, port, '127.0.0.1');
  };
  const over = new Promise<void>((resolve) => {
    const client = new DtlsClient({
      ...{ identity: keyIdentity(serial), psk: Buffer.from(secret, 'hex'), clock, random },
      timeout: hostile ? 50 : seconds(7),
      events: {
        send: transmit,
        opened: () => {
          opened = true;
          for (let n = 0; n < 10; n++)
            transmit(client.encrypt(encodePacket({ flags: POLL, sequence: n, data: NOTHING })) ?? NOTHING);
          client.close();
        },
        received: () => {},
        closed: () => resolve(),
      },
    });
    socket.on('message', (datagram) => client.receiveDatagram(hostile ? changed(datagram, random) : datagram));
    client.start();
  });
  await over;
  await new Promise<void>((resolve) => socket.close(() => resolve()));
  return { count, opened };
}

/** Changes a third of the datagrams: changes a byte, cuts the datagram off, repeats its end, or replaces it by noise. */
function changed(datagram: Uint8Array, random: Random): Uint8Array {
  const bytes = Uint8Array.from(datagram);
  const place = () => integerBetween(random, 0, bytes.length - 1);
  switch (integerBetween(random, 0, 11)) {
    case 0:
      bytes[place()] = integerBetween(random, 0, 255);
      return bytes;
    case 1:
      return bytes.subarray(0, place());
    case 2:
      return Buffer.concat([bytes, bytes.subarray(place())]);
    case 3:
      return randomBytes(random, integerBetween(random, 0, 300));
    default:
      return bytes;
  }
}
