/**
 * `npm run crashtest -- [--cycles 300] [--store sqlite|postgres] [--seed text]`
 *
 * Kills a real service repeatedly during traffic over UDP and HTTP, then reads what is stored: no acknowledged data may be lost
 * or stored twice, and every queued command must have reached its device.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DeviceCloudClient } from '../../src/client/client.js';
import { between, seededRandom } from '../../src/kernel/random.js';
import { HttpDevice, Queuer } from '../support/http-callers.js';
import { FREE_PORTS, type ServeProcess, startServe } from '../support/serve-process.js';
import { UdpDevice } from '../support/udp-device.js';
import { openStoreFor } from './stores.js';
import { verdictOn } from './verdict.js';

const API_KEY = 'crash-test-key';
const UDP_DEVICES = 4;
const HTTP_DEVICES = 2;
const QUEUERS = 2;
/** Pause between two commands of a queuer, because devices fetch commands one by one. */
const QUEUE_PAUSE_MS = 30;
/** How often a port that is in use is tried, and the pause between two tries. */
const PORT_TRIES = 60;
const PORT_WAIT_MS = 500;
/** Time from the moment when a service accepts requests until it is killed. */
const LIFE_MS = { shortest: 50, longest: 700 };

const { values } = parseArgs({
  options: {
    cycles: { type: 'string', default: '300' },
    store: { type: 'string', default: 'sqlite' },
    seed: { type: 'string', default: 'crashtest' },
  },
});
const cycles = Number(values.cycles);
if (!Number.isInteger(cycles) || cycles < 1) throw new Error(`--cycles "${values.cycles}" is not a number from 1`);

const directory = mkdtempSync(join(tmpdir(), 'ghostfleet-crashtest-'));
const store = await openStoreFor(values.store, directory);
const random = seededRandom(values.seed);
const began = performance.now();
const serveArgs = ['--db', store.db, '--api-key', API_KEY];
let service = await startServe(serveArgs, FREE_PORTS);
const { ports, api, spaceId } = service;

const client = new DeviceCloudClient({ baseUrl: api, apiKey: API_KEY, spaceId });
const tokenOf = (serial: number) => serial.toString(16).padStart(32, '0');
const register = async (serial: number) => {
  const { id } = await client.createDevice({
    name: `crash-${serial}`,
    serial_number: String(serial),
    token: tokenOf(serial),
  });
  return id;
};
const serials = Array.from({ length: UDP_DEVICES + HTTP_DEVICES }, (_, index) => 2_159_017_985 + index);
const ids = new Map<number, string>();
for (const serial of serials) ids.set(serial, await register(serial));
await client.close();

const udpDevices = serials.slice(0, UDP_DEVICES).map((serial) => new UdpDevice(serial, tokenOf(serial)));
const httpDevices = serials.slice(UDP_DEVICES).map((serial) => new HttpDevice(serial, tokenOf(serial)));
const queuers = Array.from({ length: QUEUERS }, (_, index) => new Queuer(`queuer-${index}`));
const udpIds = udpDevices.map(({ serial }) => ids.get(serial) ?? '');
const target = { api, spaceId, apiKey: API_KEY };
const senders = [
  ...httpDevices.map((device) => device.run(api)),
  ...queuers.map((queuer) => queuer.run(target, udpIds, QUEUE_PAUSE_MS)),
];
const fetchers = udpDevices.map((device) => device.run(ports.udp));

for (let cycle = 1; cycle <= cycles; cycle++) {
  await new Promise((resolve) => setTimeout(resolve, between(random, LIFE_MS.shortest, LIFE_MS.longest)));
  if (!service.alive) throw new Error(`the service ended by itself: ${service.complaints}`);
  await service.end('SIGKILL');
  service = await startAgain(service);
  const sent = [...udpDevices, ...httpDevices].reduce((sum, device) => sum + device.acknowledged, 0);
  const queued = queuers.reduce((sum, queuer) => sum + queuer.queued.size, 0);
  if (cycle % 10 === 0 || cycle === cycles) {
    console.log(`cycle ${cycle} of ${cycles}: ${sent} uplinks acknowledged, ${queued} commands queued`);
  }
}

// First the callers stop, then the devices fetch the remaining downlinks.
for (const each of [...httpDevices, ...queuers]) each.stop();
await Promise.all(senders);
for (const device of udpDevices) device.stop();
await Promise.all(fetchers);
// The last acknowledgement may still be in flight: the next packet or the next fetch of the device replaces it.
const reader = new DeviceCloudClient({ baseUrl: api, apiKey: API_KEY, spaceId });
const verdict = await verdictOn(reader, {
  uplinks: new Map(
    [...udpDevices, ...httpDevices].map((device) => [ids.get(device.serial) ?? '', device.acknowledged]),
  ),
  queued: new Map(queuers.flatMap((queuer) => [...queuer.queued])),
  received: new Set(udpDevices.flatMap((device) => [...device.received])),
});
await reader.close();
const { complaints } = service;
await service.end('SIGTERM');
await store.close();
rmSync(directory, { recursive: true });

for (const fault of verdict.faults.slice(0, 50)) console.log(`FAULT ${fault}`);
const minutes = ((performance.now() - began) / 60_000).toFixed(1);
console.log(
  `${verdict.faults.length === 0 ? 'ok' : 'FAILED'}: ${cycles} kills on ${values.store} in ${minutes} min; ` +
    `${verdict.uplinks} uplinks and ${verdict.downlinks} commands stored, ${verdict.faults.length} faults`,
);
if (complaints !== '') console.log(complaints);
process.exitCode = verdict.faults.length === 0 ? 0 : 1;

/** Starts on the same ports, because the devices know no others. Meanwhile, another process may have got one of the ports. */
async function startAgain(before: ServeProcess): Promise<ServeProcess> {
  for (let tries = 1; ; tries++) {
    try {
      return await startServe(serveArgs, before.ports);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (!reason.includes('EADDRINUSE') || tries === PORT_TRIES) throw new Error(`no start after a kill: ${reason}`);
      await new Promise((resolve) => setTimeout(resolve, PORT_WAIT_MS));
    }
  }
}
