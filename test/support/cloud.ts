/** A cloud in memory, without API and sockets: store, core and gateway on a virtual clock. */

import { CloudCore } from '../../src/cloud/delivery/core.js';
import type { EarlierCopy } from '../../src/cloud/delivery/uplinks.js';
import { FlapGateway } from '../../src/cloud/gateway/flap-gateway.js';
import type { Forwarding } from '../../src/cloud/interfaces/forwarding.js';
import { openStore } from '../../src/cloud/open-store.js';
import { createIds } from '../../src/cloud/store/ids.js';
import type { DeviceRow, ListedMessage, Store } from '../../src/cloud/store/store.js';
import type { Log } from '../../src/kernel/log.js';
import { seededRandom } from '../../src/kernel/random.js';
import type { Millis } from '../../src/kernel/time.js';
import { VirtualClock } from '../../src/kernel/virtual-clock.js';
import {
  type Datagram,
  datagramBytes,
  type EnvelopeFormat,
  hasValidTag,
  open,
  seal,
  tokenBytes,
} from '../../src/protocol/flap/envelope.js';
import type { Packet } from '../../src/protocol/flap/packet.js';
import type { TraceEvent } from '../../src/trace/events.js';
import { device as deviceRow } from '../cloud/store/rows.js';

export const TOKEN = '00112233445566778899aabbccddeeff';
export const SERIAL = 2_159_017_986;
export const QUIET: Log = { info: () => {}, warn: () => {}, error: () => {} };

export interface TestCloud {
  readonly clock: VirtualClock;
  readonly store: Store;
  readonly core: CloudCore;
  readonly gateway: FlapGateway;
  readonly events: TraceEvent[];
  readonly spaceId: string;
  addDevice(serial?: number, token?: string): Promise<DeviceRow>;
  device(serial?: number): Promise<DeviceRow>;
  /** All stored messages of the device, oldest first. */
  messages(device: DeviceRow): Promise<readonly ListedMessage[]>;
  /** Passes a packet of a device to the gateway; resolves with the answer. */
  exchange(packet: Packet, options?: Partial<ExchangeOptions>): Promise<Packet | undefined>;
  /** Passes any bytes to the gateway; resolves with all answers. */
  deliver(datagram: Uint8Array, format?: EnvelopeFormat): Promise<readonly Uint8Array[]>;
}

interface ExchangeOptions {
  readonly serial: number;
  readonly token: string;
  readonly format: EnvelopeFormat;
}

/** @param options.seed seed of the ids: clouds that share a store must have different seeds */
export async function testCloud(
  options: {
    readonly store?: Store;
    readonly clock?: VirtualClock;
    readonly seed?: string;
    readonly forwarding?: Forwarding;
    readonly log?: Log;
    readonly earlierCopy?: EarlierCopy;
    /** How long downlinks stay pending. Default: 30 days. */
    readonly expiry?: Millis;
  } = {},
): Promise<TestCloud> {
  const clock = options.clock ?? new VirtualClock();
  const events: TraceEvent[] = [];
  const trace = { emit: (event: TraceEvent) => events.push(event) };
  const store = options.store ?? (await openStore('memory'));
  const ids = createIds(clock, seededRandom(options.seed ?? 'ids'));
  const { log = QUIET, forwarding, earlierCopy, expiry } = options;
  const core = new CloudCore({
    store,
    clock,
    ids,
    trace,
    log,
    forwarding,
    expiry,
    ...(earlierCopy && { earlierCopy }),
  });
  const gateway = new FlapGateway({ core, clock, trace, log: QUIET });
  const spaceId = ids.uuid();
  await store.commit([{ kind: 'space.put', row: { id: spaceId, name: 'test', type: 'team', createdAt: clock.wall } }]);

  const deliver = async (datagram: Uint8Array, format: EnvelopeFormat = 'base64') => {
    const answers: Uint8Array[] = [];
    gateway.receive(datagram, format, (answer) => answers.push(datagramBytes(answer)));
    await gateway.idle();
    return answers;
  };
  const stored = async (serial = SERIAL): Promise<DeviceRow> => {
    const row = await store.deviceBySerial(serial);
    if (row === undefined) throw new Error(`no device ${serial}`);
    return row;
  };
  return {
    clock,
    store,
    core,
    gateway,
    events,
    spaceId,
    deliver,
    device: stored,
    async addDevice(serial = SERIAL, token = TOKEN) {
      const known = { id: ids.uuid(), spaceId, name: `device-${serial}`, serial, token, createdAt: clock.wall };
      await store.commit([{ kind: 'device.insert', row: deviceRow(0, known) }]);
      return stored(serial);
    },
    messages: async (device) => [...(await store.messages(spaceId, { deviceId: device.id, limit: 100 }))].reverse(),
    async exchange(packet, { serial = SERIAL, token = TOKEN, format = 'base64' } = {}) {
      const [answer, ...more] = await deliver(seal(packet, serial, tokenBytes(token), format), format);
      if (more.length > 0) throw new Error('more than one answer');
      return answer && unseal(answer, token, format);
    },
  };
}

/** The packet in an answer. @throws Error if the tag of the answer is wrong */
export function unseal(datagram: Datagram, token = TOKEN, format: EnvelopeFormat = 'base64'): Packet {
  const envelope = open(datagram, format);
  if (envelope === undefined || !hasValidTag(envelope, tokenBytes(token))) throw new Error('not a valid answer');
  // A plain array, so that tests can compare it.
  return { ...envelope.packet, data: Uint8Array.from(envelope.packet.data) };
}
