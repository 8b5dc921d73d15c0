/** The UDP sockets of the gateways: base64 text (port 5003 by convention), raw bytes (5002), DTLS (5005). */
import { createSocket, type Socket } from 'node:dgram';
import { lookUpAtOnce } from '../../kernel/immediate-lookup.js';
import type { Wires } from '../../kernel/in-flight.js';
import { portRefused } from '../../kernel/system-errors.js';
import type { PacketFormat } from '../../protocol/flap/envelope.js';
import type { Source } from './replay-guard.js';

/** Receive buffer in bytes: a fleet reports thousands of datagrams at once, and the kernel drops what does not fit. */
const RECEIVE_BUFFER = 4 * 1024 * 1024;

interface UdpOptions {
  readonly host: string;
  readonly port: number;
  readonly wires?: Wires | undefined;
  /** Called with each datagram that arrives or leaves. */
  readonly tap?: Tap | undefined;
}

type Tap = (way: 'up' | 'down', datagram: Uint8Array, peer: Source, local: Source) => void;

/** Records the datagrams of the UDP ports, and the keys to read them. */
export interface DatagramRecorder {
  /** @param local the socket of the service */
  datagram(format: PacketFormat, ...datagram: Parameters<Tap>): void;
  /** The keys of a DTLS connection before its first encrypted record. @param identity as the device claims it */
  keys(identity: string, peer: Source, clientRandom: Uint8Array, master: Uint8Array): void;
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
export async function listenUdp(receive: ReceiveFrom, { host, port, wires, tap }: UdpOptions): Promise<UdpListener> {
  const type = host.includes(':') ? 'udp6' : 'udp4';
  const socket = createSocket({ type, recvBufferSize: RECEIVE_BUFFER, lookup: lookUpAtOnce });
  let closed = false;
  // Its port is known when the socket is bound.
  let local: Source = { host, port };
  const gone = new Promise<void>((resolve) => socket.once('close', resolve));
  const send: SendTo = (datagram, to) => {
    if (closed) return;
    wires?.toDevices.departed(datagram);
    tap?.('down', datagram, to, local);
    socket.send(datagram, to.port, to.host);
  };
  socket.on('message', (datagram, source) => {
    const release = wires?.toCloud.arrived(datagram);
    if (wires && release === undefined) return;
    const from = { host: source.address, port: source.port };
    tap?.('up', datagram, from, local);
    receive(datagram, from, send);
    // Released only now: if the gateway needs more time for the datagram, it has begun to hold simulated time.
    release?.();
  });
  await bind(socket, host, port);
  local = { host: socket.address().address, port: socket.address().port };
  // The closed port of a device causes an ICMP error, which does not concern the service.
  socket.on('error', () => {});
  return {
    port: local.port,
    close: () => {
      if (!closed) socket.close();
      closed = true;
      return gone;
    },
  };
}

function bind(socket: Socket, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('error', (error: NodeJS.ErrnoException) => {
      socket.close();
      reject(portRefused(`UDP port ${port}`, host, error));
    });
    socket.bind(port, host, () => {
      socket.removeAllListeners('error');
      resolve();
    });
  });
}
