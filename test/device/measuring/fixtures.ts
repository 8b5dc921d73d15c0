/** A device's measuring side, driven as the firmware drives it: every task when it is due. */

import { Environment } from '../../../src/device/environment/environment.js';
import { Measurements } from '../../../src/device/measuring/measurements.js';
import type { SensorPlan } from '../../../src/device/measuring/measuring-plan.js';
import { encodeBody } from '../../../src/device/measuring/report-body.js';
import { type Millis, minutes } from '../../../src/kernel/time.js';
import { packagedProfiles } from '../../../src/profile/library.js';
import type { ParameterValue } from '../../../src/profile/parameters.js';
import type { ParameterRef, Profile } from '../../../src/profile/profile.js';
import { findQuantity } from '../../../src/profile/quantities.js';
import { CborWriter } from '../../../src/protocol/cbor.js';
import { decodeBody } from '../../../src/protocol/decode.js';

export const profiles = packagedProfiles();

/** 2026-01-01T00:00:00Z, when the devices of these tests boot. */
export const BOOT = 1_767_225_600_000;

export const NETWORK = {
  eest: 7,
  ecl: 0,
  rsrp: -88,
  rsrq: -7,
  snr: 11,
  plmn: 23003,
  cid: 939040,
  band: 20,
  earfcn: 6447,
};

export interface RigOptions {
  readonly profile?: string | Profile;
  /** Parameters that differ from the defaults, by `name` (of the application) or `module.name`. */
  readonly settings?: Readonly<Record<string, ParameterValue>>;
  /** Addresses of BLE tags, by slot. */
  readonly tags?: Readonly<Record<number, string>>;
  readonly seed?: number;
}

export function rig({ profile = 'clime', settings = {}, tags = {}, seed = 12345 }: RigOptions = {}) {
  const type = typeof profile === 'string' ? the(profiles.get(profile)) : profile;
  const environment = new Environment(type, seed);
  const values = new Map<string, ParameterValue>();
  for (const module of type.modules) {
    for (const spec of module.parameters) values.set(`${module.name}.${spec.name}`, spec.default);
  }
  for (const [name, value] of Object.entries(settings)) values.set(name.includes('.') ? name : `app.${name}`, value);
  const get = (module: string, name: string) => the(values.get(`${module}.${name}`));
  const config = {
    number: (module: string, name: string) => Number(get(module, name)),
    text: (module: string, name: string) => String(get(module, name)),
    flag: (module: string, name: string) => get(module, name) === true,
    slot: (_: string, n: number) => tags[n],
    live: {},
  };
  const measurements = new Measurements(type, environment, config, BOOT);
  const due = measurements.tasks.map((task) => task.first);
  let now: Millis = 0;
  let sequence = 0;

  const sensor = (name: string, number = 1): SensorPlan => the(measurements.find(name, number));
  const look = () => measurements.look(BOOT + now, Math.floor((BOOT + now) / 1000));
  const encode = (network: typeof NETWORK | null = NETWORK) => {
    const writer = new CborWriter();
    const facts = {
      sequence: sequence++,
      timestamp: (BOOT + now) / 1000,
      uptime: now / 1000 + 30,
      network: network ?? undefined,
      identity: () => ({ ...type.identity, serialNumber: '2159017986' }),
      scan: undefined,
      flag: ({ module, name }: ParameterRef) => config.flag(module, name),
    };
    encodeBody(measurements, writer, facts, BOOT + now);
    return writer.finish();
  };

  return {
    profile: type,
    environment,
    measurements,
    sensor,
    get now() {
      return now;
    },
    /** Lets time pass up to and including a time since boot, running tasks in order. */
    until(time: Millis) {
      for (;;) {
        const next = Math.min(...due);
        if (next > time) break;
        now = next;
        const task = due.indexOf(next);
        due[task] = next + measurements.run(task, BOOT + next, Math.floor((BOOT + next) / 1000));
      }
      now = time;
    },
    /** Holds a quantity at a value; undefined releases it. */
    set(name: string, value: number | null | undefined) {
      const address = the(findQuantity(type, name));
      if (value === undefined) environment.free(address, BOOT + now);
      else environment.set(address, value);
      look();
    },
    encode,
    /** The body of a report at this moment, decoded as in the cloud. The windows and events are cleared, as after a report. */
    report(network: typeof NETWORK | null = NETWORK) {
      const body = decodeBody(type.decoder, encode(network));
      measurements.clear(Math.floor((BOOT + now) / 1000));
      return JSON.parse(JSON.stringify(body));
    },
    /** The closed windows of a quantity: rows of minimum, maximum, average, median, rounded to hundredths. */
    windows(name: string, quantity = 0, number = 1) {
      const plan = sensor(name, number);
      const { memory } = measurements;
      return Array.from({ length: memory.windowCount(plan) }, (_, w) =>
        [0, 1, 2, 3].map((column) => Math.round(100 * memory.window(plan, quantity, w, column)) / 100),
      );
    },
    /** Feeds samples of a quantity to a sensor, one a minute, beginning one minute from now. */
    feed(name: string, samples: readonly (number | null)[]) {
      for (const sample of samples) {
        this.set(name, sample);
        this.until(now + minutes(1));
      }
    },
  };
}

/** A device type whose pulses come day and night, 500 an hour. */
export function steadily(name: string): Profile {
  const profile = the(profiles.get(name));
  const sensors = profile.sensors.map((sensor) => ({
    ...sensor,
    quantities: sensor.quantities.map((quantity) => {
      const { model } = quantity;
      return model.kind === 'pulses'
        ? { ...quantity, model: { ...model, by: 'even' as const, perHour: 500 } }
        : quantity;
    }),
  }));
  return { ...profile, sensors };
}

export function the<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('this test expects it to be there');
  return value;
}
