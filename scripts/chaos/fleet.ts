/**
 * The callers of a trial: devices over UDP and HTTP, and users who queue commands. They repeat each request until it is
 * answered.
 */
import { DeviceCloudClient } from '../../src/client/client.js';
import { HttpDevice, Queuer } from '../support/http-callers.js';
import { UdpDevice } from '../support/udp-device.js';
import type { Ledger } from './ledger.js';

export const API_KEY = 'chaos-key';
const FIRST_SERIAL = 2_159_017_985;
const UDP_DEVICES = 4;
const HTTP_DEVICES = 2;
const QUEUERS = 2;
/** Pause of a queuer between two commands. Without it, queues would grow, because devices fetch commands one by one. */
const QUEUE_PAUSE_MS = 30;

/** Nodes of one service. */
export interface Nodes {
  readonly apis: readonly string[];
  readonly udpPorts: readonly number[];
  readonly spaceId: string;
}

export class Fleet {
  readonly #nodes: Nodes;
  readonly #ids = new Map<number, string>();
  readonly #udp: readonly UdpDevice[];
  readonly #http: readonly HttpDevice[];
  readonly #queuers: readonly Queuer[];
  #senders: readonly Promise<void>[] = [];
  #fetchers: readonly Promise<void>[] = [];

  constructor(nodes: Nodes) {
    this.#nodes = nodes;
    const serials = Array.from({ length: UDP_DEVICES + HTTP_DEVICES }, (_, index) => FIRST_SERIAL + index);
    this.#udp = serials.slice(0, UDP_DEVICES).map((serial) => new UdpDevice(serial, tokenOf(serial)));
    this.#http = serials.slice(UDP_DEVICES).map((serial) => new HttpDevice(serial, tokenOf(serial)));
    this.#queuers = Array.from({ length: QUEUERS }, (_, index) => new Queuer(`queuer-${index}`));
  }

  /** Registers the devices and starts all callers. */
  async start(): Promise<void> {
    const { apis, udpPorts, spaceId } = this.#nodes;
    const client = this.client();
    for (const { serial } of [...this.#udp, ...this.#http]) {
      const registration = { name: `chaos-${serial}`, serial_number: String(serial), token: tokenOf(serial) };
      this.#ids.set(serial, (await client.createDevice(registration)).id);
    }
    await client.close();
    const udpIds = this.#udp.map(({ serial }) => this.#ids.get(serial) ?? '');
    this.#senders = [
      ...this.#http.map((device) => device.run(apis)),
      ...this.#queuers.map((queuer) => queuer.run({ apis, spaceId, apiKey: API_KEY }, udpIds, QUEUE_PAUSE_MS)),
    ];
    this.#fetchers = this.#udp.map((device) => device.run(udpPorts));
  }

  /** Stops the HTTP devices and the queuers first. Then the UDP devices fetch the remaining downlinks and stop. */
  async stop(): Promise<void> {
    for (const each of [...this.#http, ...this.#queuers]) each.stop();
    await Promise.all(this.#senders);
    for (const device of this.#udp) device.stop();
    await Promise.all(this.#fetchers);
  }

  /** All acknowledgements so far. */
  ledger(): Ledger {
    const devices = [...this.#udp, ...this.#http].map((device) => ({
      serial: device.serial,
      id: this.#ids.get(device.serial) ?? '',
      acknowledged: device.acknowledged,
      received: device instanceof UdpDevice ? [...device.received] : [],
    }));
    return {
      devices,
      queued: new Map(this.#queuers.flatMap((queuer) => [...queuer.queued])),
      repeated: this.#udp.reduce((sum, { repeated }) => sum + repeated, 0),
    };
  }

  client(): DeviceCloudClient {
    const { apis, spaceId } = this.#nodes;
    return new DeviceCloudClient({ baseUrl: apis[0] ?? '', apiKey: API_KEY, spaceId });
  }
}

function tokenOf(serial: number): string {
  return serial.toString(16).padStart(32, '0');
}
