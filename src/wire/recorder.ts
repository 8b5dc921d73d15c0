/**
 * Records what devices send and receive into a capture, at their end of the wire: what the network loses was sent, and what it
 * delays is received late. Without real sockets, each device has an address of its own, and each new socket another port.
 */
import type { Clock } from '../kernel/clock.js';
import type { GhostfleetError } from '../kernel/errors.js';
import { type Datagram, datagramBytes, type PacketFormat, USUAL_PORTS } from '../protocol/flap/envelope.js';
import type { TraceEvent } from '../trace/events.js';
import type { Channel, Receiver, Transport } from '../transport/transport.js';
import { addressText, type Endpoint, makeLocalAddress } from './addresses.js';
import type { Capture } from './capture.js';

/** The invented address of the cloud (for documentation, RFC 5737). */
const CLOUD = '192.0.2.1';
/** Invented ports of devices: as many as dynamic ports exist. */
const FIRST_PORT = 49_152;
const PORT_COUNT = 16_384;

export class DeviceRecorder {
  readonly #capture: Capture;
  /** Invented addresses by serial number. */
  readonly #addresses = new Map<number, string>();
  readonly #localAddress = makeLocalAddress();
  #clock: Clock | undefined;

  constructor(capture: Capture) {
    this.#capture = capture;
  }

  begin(clock: Clock, nameOf: (serial: number) => string | undefined, failed: (reason: GhostfleetError) => void): void {
    this.#clock = clock;
    this.#capture.begin(clock.wall - clock.now, nameOf, failed);
  }

  take(event: TraceEvent): void {
    this.#capture.take(event);
  }

  end(): void {
    this.#capture.close();
  }

  /** A transport that records what it passes on. Requests over HTTP are not recorded. */
  record(wire: Transport): Transport {
    return {
      connect: (serial, receiver, format = 'base64') =>
        format === 'http' ? wire.connect(serial, receiver, format) : this.#recorded(wire, serial, receiver, format),
      close: () => wire.close(),
    };
  }

  #recorded(wire: Transport, serial: number, receiver: Receiver, format: PacketFormat): Channel {
    const invented = this.#addressOf(serial);
    let sockets = 0;
    const ends = (): { readonly device: Endpoint; readonly cloud: Endpoint } => {
      const path = channel.path?.();
      if (path === undefined) {
        const device = { address: invented, port: FIRST_PORT + (sockets % PORT_COUNT) };
        return { device, cloud: { address: CLOUD, port: USUAL_PORTS[format] } };
      }
      const { device, cloud } = path;
      return { device: { ...device, address: this.#localAddress(device.address, cloud.address) }, cloud };
    };
    const note = (way: 'up' | 'down', datagram: Datagram) =>
      this.#capture.datagram({
        ...{ at: this.#clock?.wall ?? 0, way, format, serial, bytes: datagramBytes(datagram) },
        ...ends(),
      });
    const receive = (datagram: Datagram) => {
      note('down', datagram);
      receiver.receive(datagram);
    };
    const channel = wire.connect(serial, { receive }, format);
    return {
      send: (datagram) => {
        note('up', datagram);
        channel.send(datagram);
      },
      reopen: (server, started) => {
        sockets++;
        channel.reopen(server, started);
      },
      path: () => channel.path?.(),
      agreed: (clientRandom, master) => this.#capture.keys(clientRandom, master),
    };
  }

  #addressOf(serial: number): string {
    const known = this.#addresses.get(serial);
    if (known !== undefined) return known;
    const number = this.#addresses.size + 1;
    const address = addressText(Uint8Array.of(10, number >> 16, number >> 8, number));
    this.#addresses.set(serial, address);
    return address;
  }
}
