/** Records the datagrams of the UDP ports of a service into a capture. */
import type { Clock } from '../kernel/clock.js';
import { serialIn } from '../protocol/dtls/identity.js';
import { open, type PacketFormat } from '../protocol/flap/envelope.js';
import { makeLocalAddress } from './addresses.js';
import type { Capture } from './capture.js';

/** An address as the service names it. */
interface Place {
  readonly host: string;
  readonly port: number;
}

/** Maximum number of addresses whose devices are known. */
const MOST_PEERS = 100_000;

export class ServiceRecorder {
  readonly #capture: Capture;
  readonly #clock: Clock;
  readonly #localAddress = makeLocalAddress();
  /** Serial numbers of devices with DTLS by their addresses; a device that moves loses its name in the capture. */
  readonly #peers = new Map<string, number>();

  constructor(capture: Capture, clock: Clock) {
    this.#capture = capture;
    this.#clock = clock;
  }

  datagram(format: PacketFormat, way: 'up' | 'down', bytes: Uint8Array, peer: Place, local: Place): void {
    this.#capture.datagram({
      ...{ at: this.#clock.wall, way, format, bytes },
      serial: format === 'dtls' ? this.#peers.get(keyOf(peer)) : open(bytes, format)?.serial,
      device: { address: peer.host, port: peer.port },
      cloud: { address: this.#localAddress(local.host, peer.host), port: local.port },
    });
  }

  keys(identity: string, peer: Place, clientRandom: Uint8Array, master: Uint8Array): void {
    const serial = serialIn(identity);
    if (this.#peers.size >= MOST_PEERS) this.#peers.clear();
    if (serial !== undefined) this.#peers.set(keyOf(peer), serial);
    this.#capture.keys(clientRandom, master);
  }
}

function keyOf({ host, port }: Place): string {
  return `${host}@${port}`;
}
