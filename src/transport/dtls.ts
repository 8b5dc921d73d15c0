/**
 * DTLS over another transport: what the modem of a hio device does with `protocol flap-dtls` (wire W-10). Devices pass plain
 * packets to this transport. Faults of the inner transport affect the records and the handshakes.
 *
 * The first packet begins a handshake and is sent at its end. A connection with a connection ID survives a new socket, but not
 * a reset of the modem. After {@link MOST_UNANSWERED} records without an answer, the next packet begins a new handshake: the
 * cloud may have lost the connection.
 */
import type { Clock } from '../kernel/clock.js';
import type { Random } from '../kernel/random.js';
import { DtlsClient } from '../protocol/dtls/client.js';
import { keyIdentity } from '../protocol/dtls/identity.js';
import { type Datagram, datagramBytes } from '../protocol/flap/envelope.js';
import type { Channel, Receiver, Transport } from './transport.js';

const MOST_UNANSWERED = 3;

interface DtlsOptions {
  readonly serial: number;
  /** The key of the device, 16 to 32 bytes. */
  readonly psk: Uint8Array;
  readonly clock: Clock;
  readonly random: Random;
  /** Carries the records of each device from an address of its own. */
  readonly inner: Transport;
}

/** Connects a device; `receiver` receives the plain packets of the cloud. */
export function connectDtls(options: DtlsOptions, receiver: Receiver): Channel {
  return new DtlsChannel(options, receiver);
}

class DtlsChannel implements Channel, Receiver {
  readonly #options: DtlsOptions;
  readonly #device: Receiver;
  readonly #channel: Channel;
  #client: DtlsClient | undefined;
  #handshakes = 0;
  /** The newest packet, sent when the handshake is complete. */
  #waiting: Uint8Array | undefined;
  #unanswered = 0;

  constructor(options: DtlsOptions, device: Receiver) {
    this.#options = options;
    this.#device = device;
    this.#channel = options.inner.connect(options.serial, this, 'dtls');
  }

  send(plain: Datagram): void {
    if (this.#unanswered >= MOST_UNANSWERED) this.reset();
    const packet = datagramBytes(plain);
    const record = this.#client?.encrypt(packet);
    if (record) {
      this.#unanswered++;
      this.#channel.send(record);
      return;
    }
    this.#waiting = packet;
    if (this.#client === undefined) this.#begin();
  }

  reopen(server?: number, started?: boolean): void {
    this.#channel.reopen(server, started);
    if (this.#client?.hasPeerId !== true) this.reset();
  }

  reset(): void {
    const client = this.#client;
    this.#client = undefined;
    this.#waiting = undefined;
    this.#unanswered = 0;
    client?.end({ kind: 'closed', by: 'us' });
  }

  receive(datagram: Datagram): void {
    this.#client?.receiveDatagram(datagramBytes(datagram));
  }

  #begin(): void {
    const { clock, random, serial, psk } = this.#options;
    const client = new DtlsClient({
      identity: keyIdentity(serial),
      psk,
      clock,
      random: random.fork(`dtls/${++this.#handshakes}`),
      events: {
        send: (datagram) => this.#channel.send(datagram),
        agreed: (clientRandom, master) => this.#channel.agreed?.(clientRandom, master),
        opened: () => this.#sendWaiting(),
        received: (packet) => {
          this.#unanswered = 0;
          this.#device.receive(packet);
        },
        closed: () => {
          if (this.#client === client) this.reset();
        },
      },
    });
    this.#client = client;
    client.start();
  }

  #sendWaiting(): void {
    const packet = this.#waiting;
    this.#waiting = undefined;
    if (packet) this.send(packet);
  }
}
