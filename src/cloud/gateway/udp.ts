/** The UDP sockets of the gateways: base64 text (port 5003 by convention), raw bytes (5002), DTLS (5005). */
import { createSocket, type Socket, type SocketOptions } from 'node:dgram';
import { lookup } from 'node:dns';
import { isIP } from 'node:net';
import type { Wires } from '../../kernel/in-flight.js';
import { portRefused } from '../../kernel/system-errors.js';
import type { Source } from './replay-guard.js';

/** Receive buffer in bytes: a fleet reports thousands of datagrams at once, and the kernel drops what does not fit. */
const RECEIVE_BUFFER = 4 * 1024 * 1024;

interface UdpOptions {
  readonly host: string;
  readonly port: number;
  readonly wires?: Wires | undefined;
}

/** Sends a datagram to the address of the one it answers (wire W-6). */
export type SendTo = (datagram: Uint8Array, to: Source) => void;

/** Processes a datagram. It may call `send` at once or later. */
type ReceiveFrom = (datagram: Uint8Array, from: Source, send: SendTo) => void;

export interface UdpListener {
  readonly port: number;
  /** Closes the socket; datagrams that arrive later are not answered. May be called again. */
  close(): Promise<void>;
}

/**
 * Binds a socket and passes its datagrams to `receive`. Port 0 takes a free port.
 * @throws UsageError if the port is in use or may not be bound
 */
export async function listenUdp(receive: ReceiveFrom, { host, port, wires }: UdpOptions): Promise<UdpListener> {
  const type = host.includes(':') ? 'udp6' : 'udp4';
  const socket = createSocket({ type, recvBufferSize: RECEIVE_BUFFER, lookup: withoutDelay });
  let closed = false;
  const gone = new Promise<void>((resolve) => socket.once('close', resolve));
  const send: SendTo = (datagram, to) => {
    if (closed) return;
    wires?.toDevices.departed(datagram);
    socket.send(datagram, to.port, to.host);
  };
  socket.on('message', (datagram, source) => {
    const release = wires?.toCloud.arrived(datagram);
    if (wires && release === undefined) return;
    receive(datagram, { host: source.address, port: source.port }, send);
    // Released only now: if the gateway needs more time for the datagram, it has begun to hold simulated time.
    release?.();
  });
  await bind(socket, host, port);
  // The closed port of a device causes an ICMP error, which does not concern the service.
  socket.on('error', () => {});
  return {
    port: socket.address().port,
    close: () => {
      if (!closed) socket.close();
      closed = true;
      return gone;
    },
  };
}

/** Skips the resolver for IP addresses. Devices always have IP addresses, so answers to devices are sent at once. */
const withoutDelay: NonNullable<SocketOptions['lookup']> = (name, options, callback) => {
  const family = isIP(name);
  if (family === 0) lookup(name, options, callback);
  else callback(null, name, family);
};

function bind(socket: Socket, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('error', (error: NodeJS.ErrnoException) => {
      reject(portRefused(`UDP port ${port}`, host, error));
    });
    socket.bind(port, host, () => {
      socket.removeAllListeners('error');
      resolve();
    });
  });
}
