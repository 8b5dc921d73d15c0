/** The transport between the devices of a run and its embedded cloud. */
import type { DrivenClock } from '../../kernel/clock.js';
import { InFlight, type Wires } from '../../kernel/in-flight.js';
import { openHttp } from '../../transport/http.js';
import { memoryTransport } from '../../transport/memory.js';
import type { Failed, Transport } from '../../transport/transport.js';
import { chooseByFormat, makeDtlsInMemory, openSockets } from './dtls-wire.js';
import type { EmbeddedCloud } from './embedded-cloud.js';

/** For each direction, an object that stops virtual time while datagrams are on their way between two sockets. */
export function makeWires(clock: DrivenClock): Wires {
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
  readonly wires: Wires | undefined;
  readonly failed: Failed;
}

export async function openWire({ kind, cloud, api, clock, wires, failed }: WireOptions): Promise<Transport> {
  if (kind === 'http') return openHttp(api, clock, failed);
  const { udp: base64 = null, udpRaw: raw = null, udpDtls: dtls = null } = cloud.service ?? {};
  if (base64 === null || raw === null || dtls === null)
    return chooseByFormat(makeMemoryWire(cloud), makeDtlsInMemory(cloud));
  return openSockets({ host: cloud.host, ports: { base64, raw, dtls }, clock, wires, failed });
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
