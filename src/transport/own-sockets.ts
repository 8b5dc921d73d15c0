/**
 * Real UDP with a socket for each device, for datagrams that do not name their device, such as those of DTLS. So the limit of
 * open files of the process limits the number of devices. A device that opens a new socket gets another port.
 */
import { createSocket, type Socket } from 'node:dgram';
import type { AddressInfo } from 'node:net';
import type { Alarm, Clock } from '../kernel/clock.js';
import { lookUpAtOnce } from '../kernel/immediate-lookup.js';
import type { Wires } from '../kernel/in-flight.js';
import { type Millis, minutes } from '../kernel/time.js';
import { datagramBytes } from '../protocol/flap/envelope.js';
import { GatewayHost } from './gateway-host.js';
import type { Channel, Failed, Receiver, Transport } from './transport.js';
import { takeArrivals } from './udp.js';

/** How long answers to the previous port of a device are still accepted. */
const LINGER: Millis = minutes(1);

interface OwnSocketsOptions {
  /** Address of the gateway. */
  readonly host: string;
  readonly port: number;
  readonly clock: Clock;
  /** Undefined in real time. */
  readonly wires?: Wires | undefined;
  /** Default: failures of this machine are ignored. */
  readonly failed?: Failed;
}

/** Sockets are opened by the first datagram of a device. @throws UsageError for an unknown host */
export async function ownSockets(options: OwnSocketsOptions): Promise<Transport> {
  const { failed = () => {} } = options;
  const host = await GatewayHost.open(options.host, { failed });
  let closed = false;
  const lost = (error: Error | null) => {
    if (error && !closed) failed('datagram', error);
  };
  const open = new Set<Socket>();
  const retiring = new Map<Socket, Alarm>();
  const newSocket = (receiver: Receiver): Socket => {
    const socket = createSocket({ type: `udp${host.family}`, lookup: lookUpAtOnce });
    open.add(socket);
    takeArrivals(socket, options.wires, (datagram) => receiver.receive(datagram));
    // For example if the limit of open files is reached, when the first datagram binds the socket.
    socket.on('error', lost);
    return socket;
  };
  const retire = (socket: Socket) => {
    retiring.delete(socket);
    if (open.delete(socket)) socket.close();
  };
  return {
    connect: (serial, receiver): Channel => {
      const route = host.route(serial);
      const watched = route.watch(receiver);
      let socket: Socket | undefined;
      return {
        path: () => {
          if (closed) return undefined;
          socket ??= newSocket(watched);
          const device = boundAddress(socket);
          return device && { device, cloud: { address: route.address, port: options.port } };
        },
        send: (datagram) => {
          // A fault may release a delayed datagram after the close.
          if (closed) return;
          socket ??= newSocket(watched);
          const bytes = datagramBytes(datagram);
          options.wires?.toCloud.departed(bytes);
          socket.send(bytes, options.port, route.next(), lost);
        },
        reopen: (server = 1, started = false) => {
          route.reopened(server, started);
          const before = socket;
          socket = undefined;
          if (before === undefined) return;
          retiring.set(
            before,
            options.clock.after(LINGER, 'the old socket of a device', () => retire(before)),
          );
        },
      };
    },
    close: async () => {
      closed = true;
      // In real time, a pending alarm would keep the process running.
      for (const alarm of retiring.values()) alarm.cancel();
      await Promise.all(Array.from(open, (socket) => new Promise<void>((resolve) => socket.close(() => resolve()))));
    },
  };
}

/** The address of a socket, which is bound at once if its first datagram has not bound it yet; undefined if that fails. */
function boundAddress(socket: Socket): AddressInfo | undefined {
  try {
    return socket.address();
  } catch {
    socket.bind({ exclusive: true });
  }
  try {
    return socket.address();
  } catch {
    // The socket reports the error itself.
    return undefined;
  }
}
