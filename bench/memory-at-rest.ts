/**
 * What a device takes at rest: booted, in its session, with a quarter of an hour of measurements. The cloud that the devices
 * need for their sessions is thrown away before the heap is weighed.
 */

import { CloudCore } from '../src/cloud/core/core.js';
import { FlapGateway } from '../src/cloud/gateway/flap-gateway.js';
import { createIds } from '../src/cloud/ids.js';
import { openStore } from '../src/cloud/store/index.js';
import { Device } from '../src/device/device.js';
import { deviceType } from '../src/device/device-type.js';
import { type Random, seededRandom } from '../src/kernel/random.js';
import { minutes } from '../src/kernel/time.js';
import { VirtualClock } from '../src/kernel/virtual-clock.js';
import { packagedProfiles } from '../src/profile/library.js';
import { benchSettings } from '../src/runner/bench-config.js';
import { withFaults } from '../src/transport/faults/with-faults.js';
import { memoryTransport } from '../src/transport/memory.js';
import type { Receive } from '../src/transport/transport.js';
import type { Bench } from './result.js';

const DEVICES = Number(process.env.N ?? 20_000);
const MOST_BYTES = 6 * 1024;
const TOKEN = '00112233445566778899aabbccddeeff';
const FIRST_SERIAL = 2_159_017_985;

const quiet = () => {};
const log = { info: quiet, warn: quiet, error: quiet };
const trace = { emit: quiet };

export const memoryAtRest: Bench = {
  name: 'memory-at-rest',
  async run() {
    if (globalThis.gc === undefined) throw new Error('needs node --expose-gc');
    const before = await weigh();
    const fleet = await restingFleet();
    const bytes = ((await weigh()) - before) / DEVICES;
    const ready = fleet.devices.filter((device) => device.firmware?.cloud.initialized && !device.busyWith).length;
    if (ready !== DEVICES) throw new Error(`only ${ready} of ${DEVICES} devices are at rest`);
    return [
      {
        what: `memory of a device at rest, in a fleet of ${DEVICES}, against ${MOST_BYTES} bytes`,
        ratio: MOST_BYTES / bytes,
        limit: 1,
        detail: `${Math.round(bytes)} bytes a device`,
      },
    ];
  },
};

/** Heap and array buffers in bytes, after everything that can go is gone. */
async function weigh(): Promise<number> {
  for (let i = 0; i < 3; i++) {
    globalThis.gc?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

async function restingFleet(): Promise<{ readonly devices: readonly Device[]; readonly clock: VirtualClock }> {
  const clock = new VirtualClock();
  const random = seededRandom(7);
  const wire: { deliver: (datagram: Uint8Array, reply: Receive) => void } = { deliver: quiet };
  const transport = withFaults(
    memoryTransport((datagram, reply) => wire.deliver(datagram, reply)),
    { clock, random, trace, faults: [] },
  );
  const profile = packagedProfiles().get('clime');
  if (profile === undefined) throw new Error('no profile');
  const type = deviceType(profile);
  const flash = benchSettings(type.layout, ['app config mode lte']);
  const devices = Array.from({ length: DEVICES }, (_, i) => {
    const serial = FIRST_SERIAL + i;
    const device = new Device({
      type,
      serial,
      claimToken: TOKEN,
      flash,
      clock,
      random: random.fork(`device/${serial}`),
      trace,
      format: 'base64',
      connect: (receive) => transport.connect(serial, receive),
    });
    clock.after(i % minutes(1), 'power-up', () => device.powerOn());
    return device;
  });
  await withCloud(clock, random, wire, () => clock.runUntil(minutes(17)));
  wire.deliver = quiet;
  return { devices, clock };
}

/** Gives the devices a cloud for as long as `action` takes. */
async function withCloud(
  clock: VirtualClock,
  random: Random,
  wire: { deliver: (datagram: Uint8Array, reply: Receive) => void },
  action: () => Promise<void>,
): Promise<void> {
  const store = await openStore('memory');
  const ids = createIds(clock, random.fork('ids'));
  const core = new CloudCore({ store, clock, ids, trace, log });
  const gateway = new FlapGateway({ core, clock, trace, log });
  const spaceId = ids.uuid();
  await store.commit([{ kind: 'space.put', row: { id: spaceId, name: 'bench', type: 'team', createdAt: clock.wall } }]);
  for (let i = 0; i < DEVICES; i++) {
    await store.commit([
      {
        kind: 'device.insert',
        row: {
          id: ids.uuid(),
          spaceId,
          name: `device-${i}`,
          comment: null,
          serial: FIRST_SERIAL + i,
          token: TOKEN,
          externalId: null,
          label: {},
          tagIds: [],
          createdAt: clock.wall,
          lastSeen: null,
          sessionId: null,
          session: null,
          configHash: null,
          decoderHash: null,
          encoderHash: null,
        },
      },
    ]);
  }
  wire.deliver = (datagram, reply) => gateway.receive(datagram, 'base64', reply);
  await action();
  core.close();
}
