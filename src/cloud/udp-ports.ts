/** The UDP ports of the service: base64 text, raw bytes, DTLS. */
import type { EdgeClock } from '../kernel/clock.js';
import type { Wires } from '../kernel/in-flight.js';
import type { Log } from '../kernel/log.js';
import type { Random } from '../kernel/random.js';
import { datagramBytes, type EnvelopeFormat, type PacketFormat } from '../protocol/flap/envelope.js';
import { type DtlsAgreed, DtlsGateway, type Send } from './gateway/dtls-gateway.js';
import type { FlapGateway } from './gateway/flap-gateway.js';
import type { Source } from './gateway/replay-guard.js';
import { type DatagramRecorder, listenUdp, type SendTo, type UdpListener } from './gateway/udp.js';
import type { Store } from './store/store.js';

interface UdpPortsOptions {
  readonly host: string;
  readonly udpPort: number | null;
  readonly udpRawPort: number | null;
  readonly udpDtlsPort?: number | null;
  readonly wires?: Wires | undefined;
  /** Called immediately before each port is bound. */
  readonly binding?: ((kind: 'udp', port: number) => void) | undefined;
  /** Whether to drop replayed datagrams and limit repeated answers, as for `serve`. */
  readonly operated?: boolean;
  readonly store: Store;
  readonly clock: EdgeClock;
  readonly random: Random;
  readonly log: Log;
  readonly gateway: FlapGateway;
  /** Default: datagrams are not recorded. */
  readonly recorder?: DatagramRecorder | undefined;
}

interface UdpPorts {
  readonly udp: number | null;
  readonly udpRaw: number | null;
  readonly udpDtls: number | null;
  /** The gateway of the port for DTLS; undefined before its first datagram. */
  readonly dtlsGateway: () => DtlsGateway | undefined;
  /** Opens a gateway for devices with DTLS that does not use UDP. */
  readonly openDtls: (send: Send) => DtlsGateway;
  /** Closes the sockets immediately. */
  close(): Promise<void>;
}

/**
 * Binds the ports that are not null; 0 takes a free one.
 * @param closers gets the functions that close the ports when the service closes
 * @throws UsageError if a port is in use or may not be bound
 */
export async function openUdpPorts(
  options: UdpPortsOptions,
  closers: ((late: AbortSignal) => Promise<void>)[],
): Promise<UdpPorts> {
  const { host, wires, gateway, operated = false, udpDtlsPort = null, recorder, binding } = options;
  const listeners: UdpListener[] = [];
  const bind = async (port: number | null, format: PacketFormat, receive: Parameters<typeof listenUdp>[0]) => {
    if (port === null) return null;
    const tap = recorder?.datagram.bind(recorder, format);
    binding?.('udp', port);
    const listener = await listenUdp(receive, { host, port, wires, tap });
    listeners.push(listener);
    closers.push(() => listener.close());
    return listener.port;
  };
  const inFormat = (port: number | null, format: EnvelopeFormat) =>
    bind(port, format, (datagram, from, send) => {
      gateway.receive(datagram, format, (answer) => send(datagramBytes(answer), from), operated ? from : undefined);
    });
  const udp = await inFormat(options.udpPort, 'base64');
  const udpRaw = await inFormat(options.udpRawPort, 'raw');
  const openDtls = (send: Send) => {
    const agreed: DtlsAgreed | undefined =
      recorder && ((identity, address, ...keys) => recorder.keys(identity, sourceOf(address), ...keys));
    const dtls = new DtlsGateway({ ...options, packets: gateway, agreed }, send);
    closers.push(async () => dtls.close());
    return dtls;
  };
  let sendTo: SendTo = () => {};
  let dtls: DtlsGateway | undefined;
  const udpDtls = await bind(udpDtlsPort, 'dtls', (datagram, from, send) => {
    sendTo = send;
    dtls ??= openDtls((record, address) => sendTo(record, sourceOf(address)));
    dtls.receive(datagram, addressOf(from));
  });
  const close = async () => {
    await Promise.all(listeners.map((listener) => listener.close()));
  };
  return { udp, udpRaw, udpDtls, dtlsGateway: () => dtls, openDtls, close };
}

function addressOf({ host, port }: Source): string {
  return `${host}@${port}`;
}

function sourceOf(address: string): Source {
  const at = address.lastIndexOf('@');
  return { host: address.slice(0, at), port: Number(address.slice(at + 1)) };
}
