/** The embedded cloud in the thread of the run, as a target for a part of the run in another thread. */
import { DeviceCloudClient } from '../../client/client.js';
import type { EdgeClock } from '../../kernel/clock.js';
import type { Trace } from '../../trace/events.js';
import { openHttp } from '../../transport/http.js';
import type { Failed, Transport } from '../../transport/transport.js';
import { openSockets } from './dtls-wire.js';
import type { CloudPorts, Target } from './target.js';

/** Where a part of a run finds the embedded cloud. */
export interface ServedCloud {
  /** Base address of its API. */
  readonly api: string;
  readonly spaceId: string;
  readonly ports: CloudPorts;
  /** Secret. */
  readonly apiKey: string;
}

interface ServedOptions {
  readonly cloud: ServedCloud;
  /** Texts that no error may show. */
  readonly secrets: readonly string[];
  readonly clock: EdgeClock;
  readonly trace: Trace;
  readonly failed: Failed;
}

/** Maximum number of concurrent API requests of a part, except those of loads. */
const AT_ONCE = 16;

/** Connects to the cloud, which writes its events itself, in its own thread. */
export async function openServedTarget(options: ServedOptions): Promise<Target> {
  const { cloud, trace, secrets } = options;
  const { api: baseUrl, spaceId, apiKey, ports } = cloud;
  const api = new DeviceCloudClient({ baseUrl, spaceId, apiKey, connections: AT_ONCE, secrets });
  const wire = await openWire(options);
  return {
    api,
    wire,
    trace,
    address: { baseUrl, apiKey },
    speed: 1,
    outlivesRun: false,
    format: ports.udp === null ? 'http' : 'base64',
    openSpace: () => {
      throw new Error('further spaces are opened by the run, not by its parts');
    },
    accepted: () => true,
    begin: () => {},
    end: () => {},
    lastLook: async () => {},
    close: async () => {
      await wire.close();
      await api.close();
    },
  };
}

async function openWire({ cloud: { api, ports }, clock, failed }: ServedOptions): Promise<Transport> {
  const { host, udp } = ports;
  return udp === null ? openHttp(api, clock, failed) : openSockets({ host, ports: udp, clock, failed });
}
