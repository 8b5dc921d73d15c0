/** The Device Cloud Service in this process, made anew for every run, on the clock of the run. */
import { DeviceCloudClient } from '../../client/client.js';
import type { Log } from '../../cloud/context.js';
import type { Interference } from '../../cloud/operations/interference.js';
import { type Service, type ServiceOptions, startService } from '../../cloud/service.js';
import type { EdgeClock } from '../../kernel/clock.js';
import { EXIT, GhostfleetError } from '../../kernel/errors.js';
import { InFlight } from '../../kernel/in-flight.js';
import type { Random } from '../../kernel/random.js';
import type { CloudSettings } from '../../scenario/parse-cloud.js';
import type { Trace } from '../../trace/events.js';
import { httpTransport, pooledRequests } from '../../transport/http.js';
import { memoryTransport } from '../../transport/memory.js';
import type { Transport } from '../../transport/transport.js';
import { udpTransport } from '../../transport/udp.js';
import type { Target } from './target.js';

const LOOPBACK = '127.0.0.1';

export interface EmbeddedOptions {
  /** What carries messages: datagrams in memory or over UDP, or HTTP requests. */
  readonly transport: 'memory' | 'udp' | 'http';
  /** Where the cloud keeps its data: a path, or `memory`. */
  readonly db: string;
  /** Name of its space. */
  readonly space: string;
  /** Whether its time is virtual: datagrams on their way then hold the clock. */
  readonly virtual: boolean;
  readonly clock: EdgeClock;
  readonly random: Random;
  readonly trace: Trace;
  readonly log: Log;
  /** As the scenario wants it; left out: as it is by itself. */
  readonly settings?: CloudSettings;
  /** Gets in its way. */
  readonly interference?: Interference;
}

/** @throws UsageError when it can not start there, or when the database is not a new one */
export async function embeddedTarget(options: EmbeddedOptions): Promise<Target> {
  const { transport, virtual, clock, random, trace, log } = options;
  const udp = transport === 'udp';
  const wires = {
    toCloud: new InFlight(clock, 'a datagram on its way to the gateway'),
    toDevices: new InFlight(clock, 'a datagram on its way to a device'),
  };
  let begun = false;
  const service = await startService({
    db: options.db,
    host: LOOPBACK,
    port: 0,
    udpPort: udp ? 0 : null,
    udpRawPort: null,
    space: options.space,
    clock,
    random: random.fork('cloud'),
    trace,
    log,
    ...(options.settings && settingsOf(options.settings, () => begun)),
    ...(virtual && udp && { wires }),
    ...(options.interference && { interference: options.interference }),
  });
  const closers = [() => service.close()];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const baseUrl = service.api;
    const address = { baseUrl, apiKey: keyOf(service) };
    const api = new DeviceCloudClient({ ...address, spaceId: service.spaceId });
    closers.push(() => api.close());
    const wire = await openWire(transport, service, clock, virtual && udp ? wires : undefined);
    closers.push(() => wire.close());
    const format = transport === 'http' ? 'http' : 'base64';
    const alreadyTold = { accepted: () => {}, lastLook: async () => {} };
    const openSpace = async (name: string) => {
      // Apart from the fleet's, whatever the name of the scenario.
      const opened = await service.openSpace(`${options.space}/${name}`);
      const client = new DeviceCloudClient({ baseUrl, apiKey: keyOf(opened), spaceId: opened.spaceId });
      closers.push(() => client.close());
      return client;
    };
    const begin = () => {
      begun = true;
    };
    return { api, address, openSpace, begin, wire, format, trace, outlivesRun: false, ...alreadyTold, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function settingsOf(
  { rateLimit, expireDownlinks, retainMessages }: CloudSettings,
  rateLimitHolds: () => boolean,
): Pick<ServiceOptions, 'apiOptions' | 'expireDownlinks' | 'retainMessages'> {
  return {
    apiOptions: { rateLimit, rateLimitHolds },
    ...(expireDownlinks !== null && { expireDownlinks }),
    ...(retainMessages !== null && { retainMessages }),
  };
}

function keyOf({ apiKey }: { readonly apiKey?: string | undefined }): string {
  if (apiKey !== undefined) return apiKey;
  throw new GhostfleetError('old-database', 'the database of a run must be a new one', EXIT.usage);
}

async function openWire(
  kind: EmbeddedOptions['transport'],
  service: Service,
  clock: EdgeClock,
  wires: { toCloud: InFlight; toDevices: InFlight } | undefined,
): Promise<Transport> {
  if (kind === 'http') {
    const requests = pooledRequests(service.api);
    return httpTransport(requests.send, clock, () => requests.close());
  }
  if (service.udp === null) {
    return memoryTransport((datagram, reply) => service.gateway.receive(datagram, 'base64', reply));
  }
  return udpTransport({ host: LOOPBACK, port: service.udp, format: 'base64', ...(wires && { wires }) });
}
