/**
 * The Device Cloud Service in one piece: store, delivery core, REST API and UDP gateway. `ghostfleet serve` runs it alone, the
 * runner embeds it.
 */
import type { EdgeClock } from '../kernel/clock.js';
import { UsageError } from '../kernel/errors.js';
import type { Random } from '../kernel/random.js';
import type { Trace } from '../trace/events.js';
import { createApi } from './api/index.js';
import { ensureSpaceAndKey } from './bootstrap.js';
import type { Log } from './context.js';
import { CloudCore } from './core/core.js';
import { FlapGateway } from './gateway/flap-gateway.js';
import { listenUdp, type UdpListener, type Wires } from './gateway/udp.js';
import { createIds } from './ids.js';
import { openStore } from './store/index.js';

export interface ServiceOptions {
  /** Path of an SQLite file, or `memory`. */
  readonly db: string;
  /** Address to bind, for the API and for UDP. */
  readonly host: string;
  /** Ports; 0 takes a free one, null opens none. */
  readonly port: number;
  readonly udpPort: number | null;
  readonly udpRawPort: number | null;
  /** Name of the space, which a first start creates; left out: the only one, or the oldest. */
  readonly space?: string;
  /** API key to accept; left out: one is made on the first start. */
  readonly apiKey?: string;
  readonly clock: EdgeClock;
  /** For ids and keys: cryptographic in a real service, seeded in a simulation. */
  readonly random: Random;
  readonly trace: Trace;
  readonly log: Log;
  /** Lets simulated time wait for datagrams on the wire; left out in real time. */
  readonly wires?: Wires;
}

export interface Service {
  /** `http://127.0.0.1:8080` */
  readonly api: string;
  /** Port for base64 datagrams; null when none is open. */
  readonly udp: number | null;
  /** Port for raw datagrams; null when none is open. */
  readonly udpRaw: number | null;
  readonly spaceId: string;
  /** The key, when it was given or has just been made: it can not be shown again. */
  readonly apiKey: string | undefined;
  readonly gateway: FlapGateway;
  /** Finishes what is under way, then closes ports and store. */
  close(): Promise<void>;
}

/** @throws UsageError when a port is taken or the database can not be used */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { clock, trace, log, random, host } = options;
  const store = await openStore(options.db);
  const closers: (() => Promise<void>)[] = [() => store.close()];
  // In reverse order of opening: ports first, the store last.
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const ids = createIds(clock, random.fork('ids'));
    const { spaceId, apiKey } = await ensureSpaceAndKey(store, {
      spaceName: options.space,
      apiKey: options.apiKey,
      ids,
      clock,
      random: random.fork('keys'),
    });
    const core = new CloudCore({ store, clock, ids, trace, log });
    closers.push(async () => core.close());
    const gateway = new FlapGateway({ core, clock, trace, log });
    closers.push(() => gateway.idle());

    const bound = async (port: number | null, format: 'base64' | 'raw'): Promise<UdpListener | undefined> => {
      if (port === null) return undefined;
      const listener = await listenUdp(gateway, { host, port, format, ...(options.wires && { wires: options.wires }) });
      closers.push(() => listener.close());
      return listener;
    };
    const udp = await bound(options.udpPort, 'base64');
    const udpRaw = await bound(options.udpRawPort, 'raw');

    const api = createApi({ store, clock, ids, downlinks: core, log });
    closers.push(async () => api.close());
    const address = await api.listen({ host, port: options.port }).catch((error: NodeJS.ErrnoException) => {
      throw new UsageError(
        'port-in-use',
        `port ${options.port} on "${host}" can not be used: ${error.code ?? error.message}`,
      );
    });
    return { api: address, udp: udp?.port ?? null, udpRaw: udpRaw?.port ?? null, spaceId, apiKey, gateway, close };
  } catch (error) {
    await close();
    throw error;
  }
}
