/** The transport for DTLS records. Datagrams with envelopes have a transport of their own. */
import type { DtlsGateway } from '../../cloud/gateway/dtls-gateway.js';
import type { Service } from '../../cloud/service.js';
import { memoryPeers } from '../../transport/memory.js';
import type { Transport } from '../../transport/transport.js';

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
