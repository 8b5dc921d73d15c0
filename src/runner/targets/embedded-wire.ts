/** The transport between the devices of a run and its embedded cloud. */
import type { DrivenClock } from '../../kernel/clock.js';
import { InFlight } from '../../kernel/in-flight.js';
import { httpTransport, pooledRequests } from '../../transport/http.js';
import { memoryTransport } from '../../transport/memory.js';
import { ownSockets } from '../../transport/own-sockets.js';
import type { Failed, Transport } from '../../transport/transport.js';
import { udpTransport } from '../../transport/udp.js';
import { chooseByFormat, makeDtlsInMemory } from './dtls-wire.js';
import type { EmbeddedCloud } from './embedded-cloud.js';

type FlightWires = { readonly toCloud: InFlight; readonly toDevices: InFlight };

/** For each direction, an object that stops virtual time while datagrams are on their way between two sockets. */
export function makeWires(clock: DrivenClock): FlightWires {
  return {
    toCloud: new InFlight(clock, 'a datagram on its way to the gateway'),
    toDevices: new InFlight(clock, 'a datagram on its way to a device'),
  };
}

interface WireOptions {
  readonly kind: 'memory' | 'udp' | 'http';
  readonly cloud: EmbeddedCloud;
  /** Address of its API. */
  readonly api: string;
  readonly clock: DrivenClock;
  /** Undefined in real time. */
  readonly wires: FlightWires | undefined;
  readonly failed: Failed;
}

export async function openWire({ kind, cloud, api, clock, wires, failed }: WireOptions): Promise<Transport> {
  if (kind === 'http') {
    const requests = pooledRequests(api);
    return httpTransport(requests.send, clock, () => requests.close(), failed);
  }
  const { udp: base64 = null, udpRaw: raw = null, udpDtls: dtls = null } = cloud.service ?? {};
  if (base64 === null || raw === null || dtls === null)
    return chooseByFormat(makeMemoryWire(cloud), makeDtlsInMemory(cloud));
  const at = { host: cloud.host, failed, ...(wires && { wires }) };
  return chooseByFormat(
    await udpTransport({ ...at, ports: { base64, raw } }),
    await ownSockets({ ...at, port: dtls, clock }),
  );
}

function makeMemoryWire(cloud: EmbeddedCloud): Transport {
  return memoryTransport((datagram, reply, format) => {
    const { service } = cloud;
    service?.gateway.receive(datagram, format, (answer) => {
      // A service that was killed in the meantime does not answer.
      if (service === cloud.service) reply(answer);
    });
  });
}
