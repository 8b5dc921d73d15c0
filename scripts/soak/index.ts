/**
 * `npm run soak`: runs a service under a steady load, samples its memory, and fails if the memory keeps growing after a
 * warm-up.
 *
 * Variables with their defaults: SOAK_MINUTES (60); SOAK_WARMUP (a sixth of SOAK_MINUTES: SQLite needs these 10 minutes to fill
 * its page caches); SOAK_RATE (300 uplinks a second); SOAK_STORE (a new SQLite file; another value is a path or
 * `postgres://…`); SOAK_PROGRAM (the program is built from the sources; another value is the path of `main.js` in a build).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeviceCloudClient } from '../../src/client/client.js';
import { HttpDevice, Queuer } from '../support/http-callers.js';
import { startServe } from '../support/serve-process.js';
import { UdpDevice } from '../support/udp-device.js';
import { type Memory, readMemory } from './memory.js';
import { growthPerHour, middle } from './slope.js';

const API_KEY = 'soak-key';
const FIRST_SERIAL = 2_159_017_985;
const UDP_DEVICES = 200;
const HTTP_DEVICES = 100;
const SAMPLE_MS = 5_000;
const MINUTE_MS = 60_000;
/**
 * Pause between two commands that the queuer queues. Because of these commands, the UDP devices fetch downlinks as well as
 * send uplinks.
 */
const QUEUE_PAUSE_MS = 500;
/** Largest growth of the resident memory after the warm-up, as a share of it per hour. */
const LARGEST_GROWTH = 0.01;
/** Least share of the planned uplinks that must have been acknowledged for the figures to be valid. */
const LEAST_SHARE = 0.98;

const minutes = positive('SOAK_MINUTES', 60);
const warmup = positive('SOAK_WARMUP', minutes / 6);
const rate = positive('SOAK_RATE', 300);
if (warmup > minutes - 3) throw new Error('SOAK_WARMUP must leave at least 3 minutes of SOAK_MINUTES');

const directory = mkdtempSync(join(tmpdir(), 'ghostfleet-soak-'));
const db = process.env.SOAK_STORE ?? join(directory, 'cloud.db');
const service = await startServe(['--db', db, '--api-key', API_KEY], undefined, {}, process.env.SOAK_PROGRAM);
const { api, spaceId, ports } = service;
const client = new DeviceCloudClient({ baseUrl: api, apiKey: API_KEY, spaceId });

const began = performance.now();
const period = ((UDP_DEVICES + HTTP_DEVICES) * 1000) / rate;
const tokenOf = (serial: number) => serial.toString(16).padStart(32, '0');
const serials = Array.from({ length: UDP_DEVICES + HTTP_DEVICES }, (_, index) => FIRST_SERIAL + index);
const ids: string[] = [];
for (const serial of serials) {
  const { id } = await client.createDevice({
    name: `soak-${serial}`,
    serial_number: String(serial),
    token: tokenOf(serial),
  });
  ids.push(id);
}
const udpDevices = serials
  .slice(0, UDP_DEVICES)
  .map((serial, index) => new UdpDevice(serial, tokenOf(serial), turns(index)));
const httpDevices = serials
  .slice(UDP_DEVICES)
  .map((serial, index) => new HttpDevice(serial, tokenOf(serial), turns(UDP_DEVICES + index)));
const devices = [...udpDevices, ...httpDevices];
const queuer = new Queuer('soak');
const work = [
  ...udpDevices.map((device) => device.run([ports.udp])),
  ...httpDevices.map((device) => device.run([api])),
  queuer.run({ apis: [api], spaceId, apiKey: API_KEY }, ids.slice(0, UDP_DEVICES), QUEUE_PAUSE_MS),
];

const perMinute: Memory[] = [];
const rates: number[] = [];
for (let minute = 1; minute <= minutes; minute++) {
  const before = acknowledged();
  const from = performance.now();
  const samples: Memory[] = [];
  while (performance.now() < began + minute * MINUTE_MS) {
    await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS));
    samples.push(await readMemory(api));
    // Requests the latest messages, as a user of the console does.
    await client.messages({ limit: 50 });
  }
  if (!service.alive) throw new Error(`the service ended by itself: ${service.complaints}`);
  const memory = { rss: middle(samples.map(({ rss }) => rss)), heap: middle(samples.map(({ heap }) => heap)) };
  const reached = ((acknowledged() - before) * 1000) / (performance.now() - from);
  perMinute.push(memory);
  rates.push(reached);
  console.log(`minute ${minute}: ${reached.toFixed(0)} uplinks/s, RSS ${mib(memory.rss)}, heap ${mib(memory.heap)}`);
}

for (const each of [...devices, queuer]) each.stop();
await Promise.all(work);
await client.close();
await service.end('SIGTERM');
rmSync(directory, { recursive: true });

const steady = perMinute.slice(Math.ceil(warmup));
const growth = growthPerHour(steady.map(({ rss }) => rss));
const share = middle(rates) / rate;
const held = growth <= LARGEST_GROWTH && share >= LEAST_SHARE;
const first = steady[0]?.rss ?? 0;
const last = steady.at(-1)?.rss ?? 0;
console.log(
  `${held ? 'ok  ' : 'FAIL'} memory over ${minutes} min at ${middle(rates).toFixed(0)} of ${rate} uplinks/s: ` +
    `${(growth * 100).toFixed(2)} %/h (at most ${LARGEST_GROWTH * 100}) after ${Math.ceil(warmup)} min · ` +
    `RSS ${mib(first)} to ${mib(last)}, ${acknowledged()} uplinks`,
);
process.exitCode = held ? 0 : 1;

function acknowledged(): number {
  return devices.reduce((sum, device) => sum + device.acknowledged, 0);
}

/**
 * Returns a function that waits until the device must send again: once per period, with the devices spread evenly over the
 * period.
 */
function turns(index: number): () => Promise<void> {
  let due = began + (index / (UDP_DEVICES + HTTP_DEVICES)) * period;
  return async () => {
    due += period;
    const wait = due - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
  };
}

function mib(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}

function positive(name: string, usual: number): number {
  const text = process.env[name];
  const value = text === undefined ? usual : Number(text);
  if (!(value > 0)) throw new Error(`${name} "${text}" is not a positive number`);
  return value;
}
