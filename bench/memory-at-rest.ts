/**
 * Measures the memory of a device at rest, in a fleet of all device types: booted, with a session and a quarter of an hour of
 * measurements. The memory includes the device with its flash, its link, its network connection and its alarm. The cloud that
 * the devices need for their sessions is discarded before the measurement.
 *
 * A small fleet rests first, so that the code of the program and the device types do not count, which all devices share.
 *
 * `N` and `PROFILES` in the environment select another fleet: `N=20000 PROFILES=clime,meteo`.
 */

import { CloudCore } from '../src/cloud/delivery/core.js';
import { FlapGateway } from '../src/cloud/gateway/flap-gateway.js';
import { openStore } from '../src/cloud/open-store.js';
import { createIds } from '../src/cloud/store/ids.js';
import { makeNewDevice } from '../src/cloud/store/new-device.js';
import type { Settings } from '../src/device/config/device-config.js';
import { Device } from '../src/device/device.js';
import { type DeviceType, deviceType } from '../src/device/type/device-type.js';
import { type Random, seededRandom } from '../src/kernel/random.js';
import { minutes } from '../src/kernel/time.js';
import { VirtualClock } from '../src/kernel/virtual-clock.js';
import { packagedProfiles } from '../src/profile/library.js';
import type { Datagram, EnvelopeFormat } from '../src/protocol/flap/envelope.js';
import { makeFlashSettings } from '../src/runner/world/flash-settings.js';
import { withFaults } from '../src/transport/faults/with-faults.js';
import { memoryTransport } from '../src/transport/memory.js';
import type { Receive } from '../src/transport/transport.js';
import type { Bench } from './result.js';
import { sizeOf } from './size.js';

const DEVICES = sizeOf('N', { quick: 20_000, usual: 50_000, full: 100_000 });
/** Devices of the fleet that rests first. */
const FEW = 2000;
const MOST_BYTES = 3 * 1024;
const FIRST_SERIAL = 2_159_017_985;

const quiet = () => {};
const log = { info: quiet, warn: quiet, error: quiet };
const trace = { emit: quiet };

export const memoryAtRest: Bench = {
  name: 'memory-at-rest',
  async run() {
    if (globalThis.gc === undefined) throw new Error('needs node --expose-gc');
    const kinds = kindsOfDevice();
    await restingFleet(kinds, FEW);
    const before = await weigh();
    const fleet = await restingFleet(kinds, DEVICES);
    const bytes = ((await weigh()) - before) / DEVICES;
    const ready = fleet.devices.filter((device) => device.firmware?.cloud.initialized && !device.busyWith).length;
    // One device in a hundred may be busy, for example because its button has just been pressed.
    if (ready < 0.99 * DEVICES) throw new Error(`only ${ready} of ${DEVICES} devices are at rest`);
    return [
      {
        what: `memory of a device at rest, in a fleet of ${DEVICES.toLocaleString('en')}, against ${MOST_BYTES} bytes`,
        ratio: MOST_BYTES / bytes,
        limit: 1,
        detail: `${Math.round(bytes)} bytes a device (${kinds.map(({ type }) => type.profile.name).join(', ')})`,
        goals: { atRest: bytes },
      },
    ];
  },
};

/**
 * Memory after garbage collection, in bytes: the heap, and all array buffers, which are outside of it. The figure `external` of
 * Node.js would not do: it lacks shared buffers, which hold the measured values of the devices. A device has no other memory
 * outside of the heap.
 */
async function weigh(): Promise<number> {
  for (let i = 0; i < 3; i++) {
    globalThis.gc?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

interface Fleet {
  readonly devices: readonly Device[];
  /**
   * The clock holds the alarms of the devices. It is kept here, so that the alarms are not collected before the measurement.
   */
  readonly clock: VirtualClock;
}

async function restingFleet(kinds: readonly Kind[], count: number): Promise<Fleet> {
  const clock = new VirtualClock();
  const world = { clock, trace };
  const random = seededRandom(7);
  const wire: { deliver: (datagram: Datagram, reply: Receive, format: EnvelopeFormat) => void } = { deliver: quiet };
  const transport = withFaults(
    memoryTransport((datagram, reply, format) => wire.deliver(datagram, reply, format)),
    { clock, random, trace, faults: [] },
  );
  const devices = Array.from({ length: count }, (_, i) => {
    const serial = FIRST_SERIAL + i;
    const { type, flash } = kinds[i % kinds.length] as Kind;
    const device = new Device({
      type,
      serial,
      claimToken: tokenOf(serial),
      flash,
      world,
      random: random.fork(`device/${serial}`),
      format: 'base64',
      connect: (device, format) => transport.connect(serial, device, format),
    });
    clock.after(i % minutes(1), 'power-up', () => device.powerOn());
    return device;
  });
  await withCloud(clock, random, wire, count, () => clock.runUntil(minutes(17)));
  wire.deliver = quiet;
  return { devices, clock };
}

interface Kind {
  readonly type: DeviceType;
  readonly flash: Settings;
}

/** The device types of the fleet, with the settings that their vendor suggests. */
function kindsOfDevice(): readonly Kind[] {
  const profiles = packagedProfiles();
  const names = process.env.PROFILES?.split(',') ?? [...profiles.keys()];
  return names.map((name) => {
    const profile = profiles.get(name);
    if (profile === undefined) throw new Error(`unknown profile "${name}"`);
    const type = deviceType(profile);
    return { type, flash: makeFlashSettings(type.layout, profile.setup) };
  });
}

const tokenOf = (serial: number): string => serial.toString(16).padStart(32, '0');

/** Connects the devices to a cloud while `action` runs. */
async function withCloud(
  clock: VirtualClock,
  random: Random,
  wire: { deliver: (datagram: Datagram, reply: Receive, format: EnvelopeFormat) => void },
  count: number,
  action: () => Promise<void>,
): Promise<void> {
  const store = await openStore('memory');
  const ids = createIds(clock, random.fork('ids'));
  const core = new CloudCore({ store, clock, ids, trace, log });
  const gateway = new FlapGateway({ core, clock, trace, log });
  const spaceId = ids.uuid();
  await store.commit([{ kind: 'space.put', row: { id: spaceId, name: 'bench', type: 'team', createdAt: clock.wall } }]);
  for (let i = 0; i < count; i++) {
    const serial = FIRST_SERIAL + i;
    const given = { id: ids.uuid(), spaceId, serial, token: tokenOf(serial), createdAt: clock.wall };
    await store.commit([{ kind: 'device.insert', row: makeNewDevice({ ...given, name: `device-${i}` }) }]);
  }
  wire.deliver = (datagram, reply, format) => gateway.receive(datagram, format, reply);
  await action();
  await core.close();
}
