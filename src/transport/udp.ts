/** Real UDP with a few shared sockets: datagrams go to the device in their envelope; a new socket is the next shared one. */
import { createSocket, type Socket } from 'node:dgram';
import { UsageError } from '../kernel/errors.js';
import type { Wires } from '../kernel/in-flight.js';
import { reasonOf } from '../kernel/system-errors.js';
import { datagramBytes, type EnvelopeFormat, open } from '../protocol/flap/envelope.js';
import { GatewayHost } from './gateway-host.js';
import type { Failed, Receiver, Transport } from './transport.js';

const RECEIVE_BUFFER = 4 * 1024 * 1024;

interface UdpTransportOptions {
  /** Address of the gateway, with its port for each format that devices use. */
  readonly host: string;
  readonly ports: GatewayPorts;
  /** Number of sockets. Default 16. */
  readonly sockets?: number;
  /** Undefined in real time. */
  readonly wires?: Wires | undefined;
  /** Default: failures of this machine are ignored. */
  readonly failed?: Failed;
}

/** The ports of a gateway; at least one. */
type GatewayPorts = { readonly [F in EnvelopeFormat]?: number | undefined };

/** Opens the sockets. @throws UsageError for an unknown host, or if this machine has no socket or port left */
export async function udpTransport(options: UdpTransportOptions): Promise<Transport> {
  const { ports, wires, failed = () => {} } = options;
  const receivers = new Map<number, Receiver>();
  const host = await GatewayHost.open(options.host, { failed });
  const sockets = await Promise.all(Array.from({ length: options.sockets ?? 16 }, () => openSocket(host.family)));
  let closed = false;
  const lost = (error: Error | null) => {
    if (error && !closed) failed('datagram', error);
  };
  for (const socket of sockets) {
    takeArrivals(socket, wires, (datagram, port) => {
      const envelope = open(datagram, port === ports.raw ? 'raw' : 'base64');
      if (envelope) receivers.get(envelope.serial)?.receive(datagram);
    });
    socket.on('error', lost);
  }
  return {
    connect: (serial, receiver, format = 'base64') => {
      const port = format === 'http' || format === 'dtls' ? undefined : ports[format];
      if (port === undefined) throw new UsageError('no-port', `no UDP port for ${format} datagrams is known`);
      const route = host.route(serial);
      receivers.set(serial, route.watch(receiver));
      let socketIndex = serial;
      const socket = () => sockets[socketIndex % sockets.length] as Socket;
      return {
        send: (datagram) => {
          // A fault may release a delayed datagram after the close.
          if (closed) return;
          const bytes = datagramBytes(datagram);
          wires?.toCloud.departed(bytes);
          socket().send(bytes, port, route.next(), lost);
        },
        path: () => (closed ? undefined : { device: socket().address(), cloud: { address: route.address, port } }),
        reopen: (server = 1, started = false) => {
          socketIndex++;
          route.reopened(server, started);
        },
      };
    },
    close: async () => {
      closed = true;
      await Promise.all(sockets.map((socket) => new Promise<void>((resolve) => socket.close(() => resolve()))));
    },
  };
}

/** Passes on the datagrams that a socket receives; on wires, only those that are expected. */
export function takeArrivals(
  socket: Socket,
  wires: Wires | undefined,
  take: (datagram: Uint8Array, port: number) => void,
): void {
  socket.on('message', (datagram, { port }) => {
    const release = wires?.toDevices.arrived(datagram);
    if (wires && release === undefined) return;
    take(datagram, port);
    release?.();
  });
}

function openSocket(family: 4 | 6): Promise<Socket> {
  const socket = createSocket({ type: `udp${family}`, recvBufferSize: RECEIVE_BUFFER });
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      socket.close();
      reject(new UsageError('port-in-use', `cannot open a UDP port: ${reasonOf(error)}`));
    };
    socket.once('error', fail);
    socket.bind(0, () => {
      socket.off('error', fail);
      resolve(socket);
    });
  });
}
