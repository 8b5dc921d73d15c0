/** Transports for all formats of datagrams: DTLS records have one of their own, beside that for datagrams with envelopes. */
import type { DtlsGateway } from '../../cloud/gateway/dtls-gateway.js';
import type { Service } from '../../cloud/service.js';
import type { Clock } from '../../kernel/clock.js';
import type { Wires } from '../../kernel/in-flight.js';
import { memoryPeers } from '../../transport/memory.js';
import { ownSockets } from '../../transport/own-sockets.js';
import type { Failed, Transport } from '../../transport/transport.js';
import { udpTransport } from '../../transport/udp.js';

interface SocketOptions {
  readonly host: string;
  readonly ports: { readonly base64: number; readonly raw: number; readonly dtls: number };
  readonly clock: Clock;
  readonly wires?: Wires | undefined;
  readonly failed: Failed;
}

/** Real UDP. @throws UsageError for an unknown host */
export async function openSockets({ host, ports, clock, wires, failed }: SocketOptions): Promise<Transport> {
  const { dtls, ...enveloped } = ports;
  const at = { host, wires, failed };
  return chooseByFormat(
    await udpTransport({ ...at, ports: enveloped }),
    await ownSockets({ ...at, port: dtls, clock }),
  );
}

/** A transport that chooses between two others: one for datagrams with envelopes, one for DTLS records. */
export function chooseByFormat(enveloped: Transport, records: Transport): Transport {
  return {
    connect: (serial, receiver, format) => (format === 'dtls' ? records : enveloped).connect(serial, receiver, format),
    close: async () => {
      await Promise.all([enveloped.close(), records.close()]);
    },
  };
}

/**
 * A transport for DTLS records in memory. The first record opens the DTLS gateway of the running service. The connections end
 * when the service is killed.
 * @param cloud holds the running service, which changes with every restart
 */
export function makeDtlsInMemory(cloud: { readonly service: Pick<Service, 'openDtls'> | undefined }): Transport {
  const gateways = new WeakMap<object, DtlsGateway>();
  const peers = memoryPeers((datagram, address) => {
    const { service } = cloud;
    if (service === undefined) return;
    const gateway =
      gateways.get(service) ??
      service.openDtls((record, to) => {
        if (service === cloud.service) peers.send(record, to);
      });
    gateways.set(service, gateway);
    gateway.receive(datagram, address);
  });
  return peers.transport;
}
