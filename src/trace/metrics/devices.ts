/** Metrics of the fleet: sessions, boots, radio wakes, repetitions. */

import type { Instant, Millis } from '../../kernel/time.js';
import type { Handlers } from '../dispatch.js';
import { Distribution } from '../distribution.js';
import type { BootCause, ContactReason, UplinkType } from '../events.js';
import { BusiestSecond } from './busiest-second.js';
import { type MetricTable, type Share, Tally } from './metric.js';

/**
 * What a device lacks that was never ready: power, a session, or the first of its uploads that the cloud has not acknowledged.
 */
export const LACKS = ['power', 'session', 'uploads', 'codec', 'config', 'update report'] as const;
export type Lack = (typeof LACKS)[number];

/** Number of failures, and of devices that got too long datagrams, that a summary names. */
const NAMED = 5;

/** A device whose code has thrown an error. */
interface DeviceFailure {
  readonly serial: number;
  readonly at: Instant;
  /** `RangeError: 1e+21 is not an exact integer` */
  readonly why: string;
}

export interface FleetSummary {
  readonly devices: number;
  /** Devices that had a session at least once before the end of the scenario. */
  readonly sessions: number;
  /** Devices that were ready at least once before the end of the scenario: see the event `device.ready`. */
  readonly ready: number;
  /** The devices that were never ready, by what they lacked; only what occurred. */
  readonly lacking: Readonly<Partial<Record<Lack, number>>>;
  readonly boots: Readonly<Record<string, number>>;
  /** Radio wakes by reason. */
  readonly wakes: Readonly<Record<string, number>>;
  readonly repeats: number;
  readonly restarts: number;
  readonly pollsFailed: number;
  /** Devices whose code has thrown an error, and the first of these errors. Missing if there were none: the run is invalid. */
  readonly failed?: { readonly devices: number; readonly first: readonly DeviceFailure[] };
  /** Datagrams of the cloud that were longer than the buffers of CHESTER devices; missing if there were none. */
  readonly overruns?: Overruns;
  /** The same for hio devices. */
  readonly hioOverruns?: Overruns;
}

/** Datagrams that were longer than the buffers of the devices. */
export interface Overruns {
  readonly datagrams: number;
  /** Length of the longest, in bytes. */
  readonly longest: number;
  /** Number of devices that got one. */
  readonly devices: number;
  /** Serial numbers of the first of these devices. */
  readonly first: readonly number[];
}

export class DeviceFold {
  readonly boots = new Tally();
  readonly wakes = new Tally();
  readonly wakePeak: BusiestSecond;
  readonly startup = new Distribution();
  readonly devices: number;
  repeats = 0;
  /**
   * Datagrams that were repeated at least twice, for example because the cloud never answers a first repetition (wire W-28).
   */
  repetitionGaps = 0;
  restarts = 0;
  pollsFailed = 0;
  failed = 0;
  readonly #failures: DeviceFailure[] = [];
  readonly #overruns = new OverrunCount();
  readonly #hioOverruns = new OverrunCount();
  /** Devices ready before the scenario's end, with which its faults end. */
  readonly #ready = new Set<number>();
  readonly #withSession = new Set<number>();
  /** What the other devices that were switched on lack. */
  readonly #lacking = new Map<number, Lack>();
  #closed = false;
  readonly #up = new Set<number>();
  readonly #bootedAt = new Map<number, Instant>();
  /** Number of boots after which the device was ready within each limit. It is counted separately, because a distribution is not exact. */
  readonly #startedWithin: Map<Millis, number>;
  readonly #lastRepeat = new Map<number, { at: Instant; inARow: number }>();

  /**
   * @param devices number of devices in the plan
   * @param warmUp radio wakes before this instant do not count for the busiest second
   * @param limits durations for which {@link countStarted} can be called
   */
  constructor(devices: number, warmUp: Millis, limits: readonly Millis[]) {
    this.devices = devices;
    this.#startedWithin = new Map(limits.map((limit) => [limit, 0]));
    this.wakePeak = new BusiestSecond(warmUp);
  }

  get ready(): number {
    return this.#ready.size;
  }

  get sessions(): number {
    return this.#withSession.size;
  }

  /** Devices that were ready since their last boot. */
  get up(): number {
    return this.#up.size;
  }

  /**
   * The share of boots after which the device was ready within `limit`. @throws Error for a limit that the constructor did not
   * receive
   */
  countStarted(limit: Millis, now: Instant): Share {
    const within = this.#startedWithin.get(limit);
    if (within === undefined) throw new Error(`boots within ${limit} ms were not counted`);
    let open = 0;
    for (const at of this.#bootedAt.values()) if (now - at < limit) open++;
    return { total: this.boots.total, within, open };
  }

  readonly on: Handlers = {
    'device.boot': (event) => {
      this.boots.add(event.cause);
      this.#bootedAt.set(event.serial, event.at);
      this.#up.delete(event.serial);
      if (!this.#lacking.has(event.serial)) this.#noteLack(event.serial, 'session');
    },
    'downlink.received': ({ serial, type }) => {
      if (type !== 'session' || this.#closed) return;
      this.#withSession.add(serial);
      if (this.#lacking.get(serial) === 'session') this.#noteLack(serial, 'uploads');
    },
    'uplink.made': ({ serial, type }) => {
      const lack = UPLOADS[type];
      if (lack !== undefined) this.#noteLack(serial, lack);
    },
    'world.closing': () => {
      this.#closed = true;
    },
    'device.ready': (event) => {
      if (!this.#closed) {
        this.#ready.add(event.serial);
        this.#lacking.delete(event.serial);
      }
      this.#up.add(event.serial);
      const booted = this.#bootedAt.get(event.serial);
      if (booted === undefined) return;
      this.startup.record(event.at - booted);
      const took = Math.round(event.at) - Math.round(booted);
      for (const [limit, count] of this.#startedWithin) if (took <= limit) this.#startedWithin.set(limit, count + 1);
      this.#bootedAt.delete(event.serial);
    },
    'device.failed': ({ serial, at, why }) => {
      this.failed++;
      this.#up.delete(serial);
      if (this.#failures.length < NAMED) this.#failures.push({ serial, at, why });
    },
    'device.wake': ({ at, why }) => {
      this.wakes.add(why);
      this.wakePeak.add(at);
    },
    'device.repeat': (event) => {
      this.repeats++;
      const last = this.#lastRepeat.get(event.serial);
      // This is a repetition of the same datagram if the datagram was last sent at the time of the previous repetition. The
      // tolerance is for real time, which has fractions of a millisecond.
      const sameDatagram = last !== undefined && Math.abs(event.at - event.waited - last.at) < 1;
      const inARow = sameDatagram ? last.inARow + 1 : 1;
      if (inARow === 2) this.repetitionGaps++;
      this.#lastRepeat.set(event.serial, { at: event.at, inARow });
    },
    'device.restart': () => {
      this.restarts++;
    },
    'poll.failed': () => {
      this.pollsFailed++;
    },
    'device.overrun': ({ serial, bytes, read }) => {
      // A CHESTER reads nothing of such a datagram.
      (read === 0 ? this.#overruns : this.#hioOverruns).add(serial, bytes);
    },
  };

  #noteLack(serial: number, what: Lack): void {
    if (!this.#closed && !this.#ready.has(serial)) this.#lacking.set(serial, what);
  }

  /** Devices that were never ready, by what they lack. */
  #countLacking(): FleetSummary['lacking'] {
    const counts = new Tally();
    for (const what of this.#lacking.values()) counts.add(what);
    const off = Math.max(0, this.devices - this.#ready.size - this.#lacking.size);
    if (off > 0) counts.add('power', off);
    return Object.fromEntries(
      LACKS.flatMap((what) => (counts.getCount(what) > 0 ? [[what, counts.getCount(what)]] : [])),
    );
  }

  summarise(): FleetSummary {
    return {
      devices: this.devices,
      sessions: this.sessions,
      ready: this.ready,
      lacking: this.#countLacking(),
      boots: this.boots.makeRecord(),
      wakes: this.wakes.makeRecord(),
      repeats: this.repeats,
      restarts: this.restarts,
      pollsFailed: this.pollsFailed,
      ...(this.failed > 0 && { failed: { devices: this.failed, first: this.#failures } }),
      ...(this.#overruns.datagrams > 0 && { overruns: this.#overruns.summarise() }),
      ...(this.#hioOverruns.datagrams > 0 && { hioOverruns: this.#hioOverruns.summarise() }),
    };
  }
}

class OverrunCount {
  datagrams = 0;
  #longest = 0;
  readonly #devices = new Set<number>();

  add(serial: number, bytes: number): void {
    this.datagrams++;
    this.#longest = Math.max(this.#longest, bytes);
    this.#devices.add(serial);
  }

  summarise(): Overruns {
    const { size } = this.#devices;
    return {
      datagrams: this.datagrams,
      longest: this.#longest,
      devices: size,
      first: [...this.#devices].slice(0, NAMED),
    };
  }
}

/** The uploads of the session phase. A device makes such uplinks later as well, when it is ready. */
const UPLOADS: Readonly<Partial<Record<UplinkType, Lack>>> = {
  codec: 'codec',
  config: 'config',
  firmware: 'update report',
};

const BOOTS: Readonly<Record<BootCause, string>> = {
  power: 'boots at power-on',
  shell: 'boots by a shell command, or by a connection to the bootloader',
  button: 'boots by the button',
  config: 'boots after a configuration downlink',
  watchdog: 'boots by a watchdog',
  'brown-out': 'boots after a brown-out of the battery',
  'claim-token': 'boots because the claim token is missing',
  update: 'boots into a new firmware, or back into the old one',
};

const WAKES: Readonly<Record<ContactReason, string>> = {
  boot: 'radio wakes to set up a session',
  report: 'radio wakes for a regular report',
  event: 'radio wakes for the report of an event',
  poll: 'radio wakes for a poll',
  shell: 'radio wakes by a shell command',
  button: 'radio wakes by the button',
  answer: 'radio wakes for the answer to a downlink',
};

export const DEVICE_METRICS: MetricTable<DeviceFold> = {
  'fleet.devices': { about: 'devices in the plan', count: (fold) => fold.devices },
  'device.session': {
    about: 'devices that had a session at least once until the end of the scenario',
    count: (fold) => fold.sessions,
  },
  'device.ready': {
    about:
      'devices that were ready at least once until the end of the scenario: they had a session, and the cloud had their codec and configuration',
    count: (fold) => fold.ready,
  },
  'device.up': { about: 'devices that were ready since their last boot', count: (fold) => fold.up },
  'device.failed': {
    about: 'devices whose code has thrown an error; the run is then invalid',
    count: (fold) => fold.failed,
  },
  'device.boots': { about: 'boots of any cause', count: (fold) => fold.boots.total },
  ...counts('boot', BOOTS, ({ boots }) => boots),
  'device.startup': {
    about: 'time from a boot until the device was ready',
    durations: (fold) => fold.startup,
    missing: (fold) => ({ 'not ready': fold.boots.total - fold.startup.count }),
    within: (fold, limit, now) => fold.countStarted(limit, now),
  },
  'device.wakes': { about: 'radio wakes of any reason', count: (fold) => fold.wakes.total },
  ...counts('wake', WAKES, ({ wakes }) => wakes),
  'wake.peak': {
    about: 'radio wakes in the busiest second, warm-up excluded',
    count: (fold) => fold.wakePeak.most,
  },
  'device.repeats': { about: 'repeated datagrams', count: (fold) => fold.repeats },
  'device.repetition-gaps': {
    about: 'datagrams sent three times or more: neither the first one nor its repetition was answered',
    count: (fold) => fold.repetitionGaps,
  },
  'device.restarts': { about: 'transfers that restarted from sequence 0', count: (fold) => fold.restarts },
  'poll.failed': { about: 'polls that failed', count: (fold) => fold.pollsFailed },
};

/** One count for every name of a tally. */
function counts(
  family: string,
  names: Readonly<Record<string, string>>,
  tally: (fold: DeviceFold) => Tally,
): MetricTable<DeviceFold> {
  return Object.fromEntries(
    Object.entries(names).map(([name, about]) => [
      `${family}.${name}`,
      { about, count: (fold: DeviceFold) => tally(fold).getCount(name) },
    ]),
  );
}
