/**
 * Real UDP. A few sockets carry the whole fleet: a socket a device would take 100,000 ports. What comes back is handed to
 * the device whose serial number stands in the envelope, to whichever of its ports it was sent. A device that opens a new
 * socket goes over to the next one.
 */
import { createSocket, type Socket } from 'node:dgram';
import type { InFlight } from '../kernel/in-flight.js';
import { type EnvelopeFormat, open } from '../protocol/flap/envelope.js';
import { lookUp } from './look-up.js';
import type { Receiver, Transport } from './transport.js';

const RECEIVE_BUFFER = 4 * 1024 * 1024;

interface UdpTransportOptions {
  /** Address of the gateway. */
  readonly host: string;
  readonly port: number;
  readonly format: EnvelopeFormat;
  /** Number of sockets. Default 16. */
  readonly sockets?: number;
  /** Lets simulated time wait for datagrams on the wire; left out in real time. */
  readonly wires?: { readonly toCloud: InFlight; readonly toDevices: InFlight };
}

/** Opens the sockets. @throws UsageError when the host of the gateway is not known */
export async function udpTransport(options: UdpTransportOptions): Promise<Transport> {
  const { host, port, format, wires } = options;
  const receivers = new Map<number, Receiver>();
  const { family } = await lookUp(host);
  const sockets = await Promise.all(Array.from({ length: options.sockets ?? 16 }, () => openSocket(family)));
  for (const socket of sockets) {
    socket.on('message', (datagram) => {
      const envelope = open(datagram, format);
      if (envelope) receivers.get(envelope.serial)?.receive(datagram);
      wires?.toDevices.arrived();
    });
    // No gateway at that port, or no route: to the device it is silence, and it repeats.
    socket.on('error', () => {});
  }
  let closed = false;
  return {
    connect: (serial, receiver) => {
      receivers.set(serial, receiver);
      let turn = serial;
      return {
        send: (datagram) => {
          // What a fault has held back may come when the wire is cut.
          if (closed) return;
          wires?.toCloud.departed();
          const socket = sockets[turn % sockets.length] as Socket;
          socket.send(datagram, port, host);
        },
        reopen: () => {
          turn++;
        },
      };
    },
    close: async () => {
      closed = true;
      await Promise.all(sockets.map((socket) => new Promise<void>((resolve) => socket.close(() => resolve()))));
    },
  };
}

function openSocket(family: 4 | 6): Promise<Socket> {
  const socket = createSocket({ type: `udp${family}`, recvBufferSize: RECEIVE_BUFFER });
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.bind(0, () => {
      socket.off('error', reject);
      resolve(socket);
    });
  });
}
