/**
 * The gateway's UDP sockets: one for base64 text (port 5003 by convention), one for raw bytes (5002).
 */
import { createSocket, type Socket } from 'node:dgram';
import type { InFlight } from '../../kernel/in-flight.js';
import { portRefused } from '../../kernel/listen-failure.js';
import type { EnvelopeFormat } from '../../protocol/flap/envelope.js';
import type { FlapGateway } from './flap-gateway.js';

/** Room for a burst: a fleet that reports on the hour sends thousands of datagrams at once, and dgram loses silently. */
const RECEIVE_BUFFER = 4 * 1024 * 1024;

/** Lets simulated time wait for datagrams that are on a real wire; see InFlight. */
export interface Wires {
  readonly toCloud: InFlight;
  readonly toDevices: InFlight;
}

export interface UdpListener {
  readonly port: number;
  /** May be called again. From then on nobody is answered. */
  close(): Promise<void>;
}

/**
 * Binds a socket and hands its datagrams to the gateway. Port 0 takes a free one.
 * @throws UsageError when the port is taken or may not be used
 */
export async function listenUdp(
  gateway: FlapGateway,
  options: { readonly host: string; readonly port: number; readonly format: EnvelopeFormat; readonly wires?: Wires },
): Promise<UdpListener> {
  const { host, port, format, wires } = options;
  const socket = createSocket({ type: host.includes(':') ? 'udp6' : 'udp4', recvBufferSize: RECEIVE_BUFFER });
  let closed = false;
  const gone = new Promise<void>((resolve) => socket.once('close', resolve));
  socket.on('message', (datagram, source) => {
    gateway.receive(datagram, format, (answer) => {
      if (closed) return;
      wires?.toDevices.departed();
      socket.send(answer, source.port, source.address);
    });
    // Only now: the gateway has taken its own hold on time where it needs one.
    wires?.toCloud.arrived();
  });
  await bind(socket, host, port);
  // A device's port that is gone answers with an ICMP error; that is the device's affair.
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
