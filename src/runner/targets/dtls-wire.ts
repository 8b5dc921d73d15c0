/** The way of DTLS records, beside that of datagrams with envelopes. */
import type { DtlsGateway } from '../../cloud/gateway/dtls-gateway.js';
import type { Service } from '../../cloud/service.js';
import { memoryPeers } from '../../transport/memory.js';
import type { Transport } from '../../transport/transport.js';

/** Datagrams with envelopes go one way, the records of DTLS the other. */
export function either(enveloped: Transport, records: Transport): Transport {
  return {
    connect: (serial, receiver, format) => (format === 'dtls' ? records : enveloped).connect(serial, receiver, format),
    close: async () => {
      await Promise.all([enveloped.close(), records.close()]);
    },
  };
}

/**
 * In memory. The first record opens the gateway of a service; a service that has been killed forgets its connections.
 * @param cloud has the running service, which may change
 */
export function dtlsInMemory(cloud: { readonly service: Pick<Service, 'openDtls'> | undefined }): Transport {
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
