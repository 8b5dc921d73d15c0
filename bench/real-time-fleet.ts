/**
 * Measures how late the reports of a large fleet are in real time. The devices report every minute, and run in the same process
 * as the cloud that stores the reports. The lateness is compared with that of bare timers, which are set for the same times and
 * do nothing.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService } from '../src/cloud/service.js';
import { Device, type DeviceWorld } from '../src/device/device.js';
import { deviceType } from '../src/device/type/device-type.js';
import { type Random, seededRandom } from '../src/kernel/random.js';
import { RealClock } from '../src/kernel/real-clock.js';
import { type Millis, minutes } from '../src/kernel/time.js';
import { packagedProfiles } from '../src/profile/library.js';
import { makeFlashSettings } from '../src/runner/world/flash-settings.js';
import { GeneratorWatch } from '../src/runner/world/generator.js';
import { Distribution } from '../src/trace/distribution.js';
import type { TraceEvent } from '../src/trace/events.js';
import { type Fold, TraceLog } from '../src/trace/log.js';
import { Metrics } from '../src/trace/metrics/index.js';
import { DigestSink, FileSink } from '../src/trace/sinks.js';
import { withFaults } from '../src/transport/faults/with-faults.js';
import type { Transport } from '../src/transport/transport.js';
import { udpTransport } from '../src/transport/udp.js';
import { bareLoop, MICROSECONDS } from './bare-loop.js';
import { CausalClock } from './causal-clock.js';
import { API_KEY, FIRST_SERIAL, registerFleet } from './cloud/fleet.js';
import { tokenOf } from './cloud/token.js';
import type { Bench } from './result.js';

const DEVICES = 20_000;
const BOOT = minutes(1);
/** Time from the last power-up until all devices have a session and report. */
const WARM_UP = minutes(2);
const MEASURED = minutes(1);
const MOST_LATER: Millis = 10;

const [FROM, UNTIL] = [BOOT + WARM_UP, BOOT + WARM_UP + MEASURED];
const LOOPBACK = '127.0.0.1';

const quiet = () => {};
const log = { info: quiet, warn: quiet, error: quiet };

export const realTimeFleet: Bench = {
  name: 'real-time-fleet',
  async run() {
    const directory = mkdtempSync(join(tmpdir(), 'ghostfleet-bench-'));
    try {
      const { late: ofFleet, dues, state } = await minuteOfFleet(directory);
      const [late, bareLate] = [p99(ofFleet), p99(await bareLoop(dues))];
      return [
        {
          what: `punctuality of ${DEVICES.toLocaleString('en')} devices in real time, against a bare loop's + ${MOST_LATER} ms`,
          ratio: (bareLate + MOST_LATER) / late,
          limit: 1,
          detail: `99 % of the reports leave within ${late.toFixed(1)} ms of their time, ${bareLate.toFixed(1)} ms in the bare loop; ${state}`,
        },
      ];
    } finally {
      rmSync(directory, { recursive: true });
    }
  },
};

interface Minute {
  /** Lateness of each report relative to its intended time. */
  readonly late: Distribution;
  /** Due times of the alarms in the measured time, sorted, counted from its start. */
  readonly dues: readonly Millis[];
  readonly state: string;
}

/** Measures a minute of the fleet, after all devices have begun to report. */
async function minuteOfFleet(directory: string): Promise<Minute> {
  const db = join(directory, 'cloud.db');
  await (await registerFleet(db, DEVICES)).store.close();
  const real = new RealClock({ frozen: true });
  const clock = new CausalClock(real);
  const random = seededRandom(7);
  const reports = new Reports(clock);
  const sinks = [new DigestSink(), new FileSink(join(directory, 'events.jsonl'))];
  const trace = new TraceLog([new Metrics(DEVICES), reports], sinks);
  const service = await startService({
    ...{ db, host: LOOPBACK, port: 0, udpPort: 0, udpRawPort: null, apiKey: API_KEY },
    ...{ clock, random: random.fork('cloud'), trace, log },
  });
  const udp = await udpTransport({ host: LOOPBACK, ports: { base64: service.udp ?? 0 } });
  const devices = fleetOn(withFaults(udp, { clock, random, trace, faults: [] }), { clock, trace }, random);
  devices.forEach((device, i) => void real.after((BOOT * i) / DEVICES, 'power-up', () => device.powerOn()));
  real.begin();
  await real.runUntil(FROM);
  clock.dues.length = 0;
  const watch = new GeneratorWatch();
  await real.runUntil(UNTIL);
  const { dues } = clock;
  const { eventLoopDelay, busy, cpu, gc } = watch.end();
  trace.close();
  for (const device of devices) device.powerOff();
  await udp.close();
  await service.close();
  const { late, stored } = reports;
  if (stored < 0.9 * DEVICES) throw new Error(`only ${stored} reports of ${DEVICES} devices were stored in a minute`);
  const process = `event loop ${percent(busy)} busy and ${eventLoopDelay.toFixed(0)} ms late at p99, ${percent(cpu)} of a core, ${percent(gc)} for garbage`;
  return {
    late,
    dues: dues.map((due) => due - FROM).sort((one, other) => one - other),
    state: `${stored} reports stored, ${dues.length} alarms, ${process}`,
  };
}

/** Measures the reports of the measured minute. */
class Reports implements Fold {
  readonly late = new Distribution(MICROSECONDS);
  stored = 0;
  readonly #clock: CausalClock;

  constructor(clock: CausalClock) {
    this.#clock = clock;
  }

  take(event: TraceEvent): void {
    if (event.at < FROM || event.at >= UNTIL) return;
    if (event.kind === 'cloud.stored' && event.type === 'data') this.stored++;
    if (event.kind !== 'uplink.sent' || event.type !== 'data') return;
    const { now, intended } = this.#clock;
    // `intended` is undefined for a report that waited until another exchange with the cloud had ended.
    if (intended !== undefined) this.late.record(now - intended);
  }
}

function fleetOn(transport: Transport, world: DeviceWorld, random: Random): readonly Device[] {
  const profile = packagedProfiles().get('clime');
  if (profile === undefined) throw new Error('the profile "clime" is missing');
  const type = deviceType(profile);
  const flash = makeFlashSettings(type.layout, [...profile.setup, 'app config interval-report 60']);
  return Array.from({ length: DEVICES }, (_, i) => {
    const serial = FIRST_SERIAL + i;
    return new Device({
      ...{ type, serial, claimToken: tokenOf(serial), flash, world, format: 'base64' },
      random: random.fork(`device/${serial}`),
      connect: (device) => transport.connect(serial, device),
    });
  });
}

function p99(distribution: Distribution): Millis {
  return distribution.findPercentile(99) ?? 0;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
