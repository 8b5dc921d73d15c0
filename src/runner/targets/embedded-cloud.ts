/** The embedded cloud's process. A kill discards its memory; pending writes finish; it restarts on the same ports. */

import { History } from '../../cloud/history/history.js';
import { LOCAL_HOSTS } from '../../cloud/http/host-guard.js';
import { openStore } from '../../cloud/open-store.js';
import { type Service, type ServiceOptions, startService } from '../../cloud/service.js';
import { MemoryTables } from '../../cloud/store/memory/tables.js';
import { isPostgresUrl } from '../../cloud/store/postgres/url.js';
import { type NamedKey, randomKey } from '../../cloud/store/secrets/key.js';
import { StoreUnavailable } from '../../cloud/store/store.js';
import { isOpenSession } from '../../cloud/web/session.js';
import type { EdgeClock } from '../../kernel/clock.js';
import { EndingClock } from '../../kernel/ending-clock.js';
import { entropy } from '../../kernel/entropy.js';
import { EXIT, GhostfleetError } from '../../kernel/errors.js';
import type { Wires } from '../../kernel/in-flight.js';
import type { Log } from '../../kernel/log.js';
import type { Random } from '../../kernel/random.js';
import type { CloudSettings } from '../../scenario/model/cloud.js';
import type { Trace } from '../../trace/events.js';
import { checkedStore } from './checked-store.js';
import { KeptPorts } from './kept-ports.js';
import type { ServiceFaults, ServiceProcess } from './service-faults.js';
import type { CloudPorts } from './target.js';

const LOOPBACK = '127.0.0.1';

interface EmbeddedCloudOptions {
  /** Database of the cloud: a path, an address of PostgreSQL, or `memory`. */
  readonly db: string;
  /** Key for the secrets in a PostgreSQL database. Default: a random key, so that no other service can open the database. */
  readonly secretsKey?: NamedKey | undefined;
  /** Name of the cloud's space. */
  readonly space: string;
  /** Whether devices reach the cloud over UDP. */
  readonly udp: boolean;
  readonly clock: EdgeClock;
  readonly random: Random;
  readonly trace: Trace;
  readonly log: Log;
  readonly wires?: Wires | undefined;
  /** Whether time is virtual: maintenance then has no pauses, and a restart keeps the port of the API. Default: false */
  readonly virtual?: boolean;
  /** Settings from the scenario; undefined for the defaults. */
  readonly settings?: CloudSettings | undefined;
  /** Hosts with public addresses to which connectors may send. Default: all. */
  readonly connectorHosts?: readonly string[] | undefined;
  /** Called before a message that has arrived over FLAP is acknowledged, with the serial number of its device. */
  readonly acknowledged?: (serial: number) => void;
  /** Whether the service looks for an earlier copy of this device's next data, for `again` of `cloud.stored`. */
  readonly mayRepeat?: (serial: number) => boolean;
  /** Folder with the built web console. Default: the cloud has no console. */
  readonly webConsole?: string | undefined;
  /** Faults of the cloud; undefined if it has no faults, so that it is never killed. */
  readonly faults?: ServiceFaults | undefined;
  /** Called with each failure of the database that is not a fault of the scenario. Default: such failures are ignored. */
  readonly storeFailed?: ((error: StoreUnavailable) => void) | undefined;
}

interface Life {
  readonly service: Service;
  readonly clock: EndingClock;
}

export class EmbeddedCloud implements ServiceProcess {
  readonly host = LOOPBACK;
  readonly #options: EmbeddedCloudOptions;
  /** The data of the store `memory`. They are kept here so that they survive a kill, as data on a disk would. */
  readonly #disk = new MemoryTables();
  /** What the console shows of the time before a restart. */
  readonly #history = new History();
  #life: Life | undefined;
  #lives = 0;
  #begun = false;
  /** The same key for each start. Undefined for the other stores, which need none. */
  readonly #secretsKey: NamedKey | undefined;
  /** The ports: 0 until the first start has chosen them. Those for UDP are null in a cloud without UDP. */
  #ports: Readonly<Record<'udp' | 'udpRaw' | 'udpDtls', number | null>> & { readonly api: number };
  readonly #kept = new KeptPorts(LOOPBACK);
  /** The last start, kill, close or question; the next one waits for it. */
  #change: Promise<void> = Promise.resolve();

  constructor(options: EmbeddedCloudOptions) {
    this.#options = options;
    this.#secretsKey = isPostgresUrl(options.db) ? (options.secretsKey ?? randomKey('the key of the run')) : undefined;
    const port = options.udp ? 0 : null;
    this.#ports = { api: 0, udp: port, udpRaw: port, udpDtls: port };
  }

  /** The running service; undefined while none runs. */
  get service(): Service | undefined {
    return this.#life?.service;
  }

  /** Host and ports at which devices outside of this thread reach the cloud. The ports stay the same after a restart. */
  get ports(): CloudPorts {
    const { udp: base64, udpRaw: raw, udpDtls: dtls } = this.#ports;
    const udp = base64 === null || raw === null || dtls === null ? null : { base64, raw, dtls };
    return { host: this.host, udp };
  }

  get running(): boolean {
    return this.#life !== undefined;
  }

  /** Called when the fleet is created: rate limits apply from then on. */
  begin(): void {
    this.#begun = true;
  }

  /** @throws GhostfleetError if the service does not run */
  openSpace(name: string): ReturnType<Service['openSpace']> {
    if (this.#life === undefined) throw new GhostfleetError('no-service', 'the service is down', EXIT.usage);
    return this.#life.service.openSpace(name);
  }

  /**
   * Whether the cookie `secret` belongs to an open session of the console. While no service runs, the database answers. A start
   * or a kill waits for the answer.
   * @throws UsageError, StoreUnavailable if the database cannot be read
   */
  hasSession(secret: string): Promise<boolean> {
    return this.#changeNext(async () => {
      const { clock, db } = this.#options;
      if (this.#life) return this.#life.service.hasSession(secret);
      const store = await openStore(db, { memory: this.#disk, secretsKey: this.#secretsKey, alone: true });
      try {
        return await isOpenSession({ store, clock }, secret);
      } finally {
        await store.close();
      }
    });
  }

  start(): Promise<void> {
    return this.#changeNext(async () => {
      if (this.running) return;
      this.#life = await this.#start().catch(async (error: unknown) => {
        // It may have failed after it had taken ports.
        if (this.#lives > 0) await Promise.all([this.#keepUdpPorts(), this.#keepApiPort()]);
        throw error;
      });
      if (this.#lives > 1) this.#report(true);
    });
  }

  kill(): Promise<void> {
    return this.#changeNext(async () => {
      const life = this.#life;
      if (life === undefined) return;
      this.#report(false);
      this.#life = undefined;
      life.clock.end();
      // The ports for UDP are closed at once, that of the API when it resolves.
      const hungUp = life.service.hangUp();
      const kept = this.#keepUdpPorts();
      await hungUp;
      await this.#keepApiPort();
      await kept;
      await life.service.close();
    });
  }

  /** Ends the service after it has finished its work. */
  close(): Promise<void> {
    return this.#changeNext(async () => {
      this.#kept.giveAllBack();
      await this.#life?.service.close();
    });
  }

  #changeNext<T>(change: () => Promise<T>): Promise<T> {
    const next = this.#change.then(change);
    // The caller of this change receives the failure; the next change runs anyway.
    this.#change = next.then(
      () => {},
      () => {},
    );
    return next;
  }

  async #start(): Promise<Life> {
    const {
      db,
      space,
      random,
      trace,
      log,
      wires,
      virtual,
      settings,
      faults,
      acknowledged,
      mayRepeat,
      connectorHosts,
      webConsole,
      storeFailed,
    } = this.#options;
    const clock = new EndingClock(this.#options.clock);
    const number = this.#lives;
    const service = await startService({
      db,
      space,
      trace,
      host: LOOPBACK,
      port: this.#ports.api,
      udpPort: this.#ports.udp,
      udpRawPort: this.#ports.udpRaw,
      udpDtlsPort: this.#ports.udpDtls,
      secretsKey: this.#secretsKey,
      clock: faults ? clock : this.#options.clock,
      // Each start draws other random numbers, so that no id from before a kill is used again.
      random: random.fork(number === 0 ? 'cloud' : `cloud/${number}`),
      log: faults?.quiet(log) ?? log,
      ...makeSettings(settings, () => this.#begun),
      connectorHosts,
      webConsole,
      embedded: {
        memory: this.#disk,
        history: this.#history,
        alone: true,
        idsByDevice: true,
        wires,
        binding: (kind, port) => this.#kept.giveBack(kind, port),
        acknowledged,
        mayRepeat,
        // Keys and other secrets are truly random, because all programs on this machine can reach the port. This does not
        // change the digest: no event depends on a secret.
        secrets: entropy,
        batchPause: virtual ? 0 : undefined,
        interference: (faults || storeFailed) && {
          store: (store) =>
            checkedStore(
              store,
              (use) => (clock.ended ? lost() : faults?.useStore(use)),
              // A service that is being killed loses its connections.
              (error) => clock.ended || storeFailed?.(error),
            ),
          request: (url) => faults?.request(url),
        },
      },
    });
    this.#lives++;
    const { api, udp, udpRaw, udpDtls } = service;
    this.#ports = { api: Number(new URL(api).port), udp, udpRaw, udpDtls };
    return { service, clock };
  }

  async #keepUdpPorts(): Promise<void> {
    const { udp, udpRaw, udpDtls } = this.#ports;
    await Promise.all([udp, udpRaw, udpDtls].map((port) => port && this.#kept.keep('udp', port)));
  }

  /** Only in virtual time, in which no other program notices. In real time, connections are refused as without a service. */
  async #keepApiPort(): Promise<void> {
    if (this.#options.virtual) await this.#kept.keep('tcp', this.#ports.api);
  }

  #report(runs: boolean): void {
    const { clock, trace } = this.#options;
    trace.emit({ kind: 'service.process', at: clock.now, runs });
  }
}

function makeSettings(
  settings: CloudSettings | undefined,
  rateLimitHolds: () => boolean,
): Pick<ServiceOptions, 'apiOptions' | 'expireDownlinks' | 'retainMessages' | 'allowPrivateTargets'> {
  const apiOptions = { cors: false, hosts: LOCAL_HOSTS };
  if (settings === undefined) return { apiOptions };
  const { rateLimit, expireDownlinks, retainMessages, allowPrivate } = settings;
  return {
    apiOptions: { ...apiOptions, rateLimit, rateLimitHolds },
    allowPrivateTargets: allowPrivate ?? false,
    expireDownlinks: expireDownlinks ?? undefined,
    retainMessages: retainMessages ?? undefined,
  };
}

/** Rejects a use of the store by a service that was killed. */
function lost(): never {
  throw new StoreUnavailable(new Error('the process has died'));
}
