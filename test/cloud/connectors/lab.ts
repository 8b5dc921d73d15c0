/** Devices, the delivery core and connectors in simulated time; the connectors send their requests to a real web server. */
import { type Connector, putConnector, RETRY_DELAYS } from '../../../src/cloud/connectors/connector.js';
import { Connectors } from '../../../src/cloud/connectors/connectors.js';
import { type Delivery, deliveriesOf } from '../../../src/cloud/connectors/delivery.js';
import { putVariable } from '../../../src/cloud/connectors/variables.js';
import { CloudCore } from '../../../src/cloud/delivery/core.js';
import type { DeviceSession } from '../../../src/cloud/delivery/device-session.js';
import { createIds } from '../../../src/cloud/store/ids.js';
import { MemoryStore } from '../../../src/cloud/store/memory/memory-store.js';
import type { Id, Store } from '../../../src/cloud/store/store.js';
import type { Log } from '../../../src/kernel/log.js';
import { seededRandom } from '../../../src/kernel/random.js';
import type { Millis } from '../../../src/kernel/time.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import type { JsonObject } from '../../../src/protocol/decode.js';
import { device as deviceRow } from '../store/rows.js';
import { receiver } from './receiver.js';

/** A script that sends its whole job to the web server of the lab. */
export const FORWARD = 'function main(job) { return { url: job.variables.target, data: job } }';

export interface LabOptions {
  readonly clock?: VirtualClock;
  readonly store?: Store;
  readonly allowPrivate?: boolean;
  readonly answer?: Parameters<typeof receiver>[0];
}

export async function lab({
  clock = new VirtualClock(),
  store = new MemoryStore(),
  allowPrivate = true,
  answer,
}: LabOptions = {}) {
  const random = seededRandom('connectors');
  const ids = createIds(clock, random.fork('ids'));
  const logged: string[] = [];
  const note = (fields: object, message: string) => void logged.push(`${message} ${JSON.stringify(fields)}`);
  const log: Log = { info: note, warn: note, error: note };
  const hook = await receiver(answer);

  const open = () => new Connectors({ store, clock, ids, log, random, allowPrivate });
  const connectors = open();
  const core = new CloudCore({ store, clock, ids, log, trace: { emit: () => {} }, forwarding: connectors });
  const [spaceId, tagId, otherTagId] = [ids.uuid(), ids.uuid(), ids.uuid()];
  const at = clock.wall;
  const variable = { deviceId: null, environment: null, comment: null, secure: false, locked: false };
  await store.commit([
    { kind: 'space.put', row: { id: spaceId, name: 'lab', type: 'team', createdAt: at } },
    ...(['cold', 'warm'] as const).map((name, i) => {
      const row = { id: [tagId, otherTagId][i] ?? '', spaceId, name, color: '#00ff00', createdAt: at };
      return { kind: 'tag.put', row: { ...row, accessType: 'write' } } as const;
    }),
    putVariable({ ...variable, id: ids.uuid(), spaceId, createdAt: at, name: 'target', value: hook.url }),
  ]);

  const connector = async (given: Partial<Connector> = {}): Promise<Connector> => {
    const made: Connector = {
      id: ids.uuid(),
      spaceId,
      name: `connector-${ids.uuid()}`,
      direction: 'up',
      state: 'enabled',
      triggers: ['data'],
      tagIds: [tagId],
      transformation: FORWARD,
      retryDelays: RETRY_DELAYS,
      timeout: 0,
      createdAt: clock.wall,
      ...given,
    };
    await store.commit([putConnector(made)]);
    return made;
  };
  const device = async (serial = 2_159_017_985, tagIds: readonly Id[] = [tagId]): Promise<DeviceSession> => {
    const row = deviceRow(0, {
      ...{ id: ids.uuid(), spaceId, name: `device-${serial}`, serial, token: String(serial).padStart(32, '0') },
      ...{ label: { site: 'A' }, tagIds, createdAt: at },
    });
    await store.commit([{ kind: 'device.insert', row }]);
    const session = await core.load(serial);
    if (!session) throw new Error('no session');
    return session;
  };
  const uplink = (session: DeviceSession, body: JsonObject = { n: 1 }) =>
    core.accept(session, { kind: 'decoded-data', body });
  /** Advances the clock while the connectors work. */
  const pass = (time: Millis) => clock.runUntil(clock.now + time);
  const deliveries = async (of: Connector): Promise<Delivery[]> => {
    const list: Delivery[] = [];
    for await (const delivery of deliveriesOf(store, of, undefined)) list.push(delivery);
    return list.reverse();
  };
  const close = async () => {
    await core.close();
    await connectors.close();
    await hook.close();
  };
  const space = { spaceId, tagId, otherTagId };
  return {
    clock,
    store,
    ids,
    core,
    connectors,
    open,
    hook,
    logged,
    connector,
    device,
    uplink,
    pass,
    deliveries,
    close,
    ...space,
  };
}
