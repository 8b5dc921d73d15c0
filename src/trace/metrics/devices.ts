/** The fleet: who came up, how often radios woke, what had to be repeated. */

import type { Instant, Millis } from '../../kernel/time.js';
import type { Handlers } from '../dispatch.js';
import { Distribution } from '../distribution.js';
import type { BootCause, ContactReason } from '../events.js';
import { BusiestSecond } from './busiest-second.js';
import { type MetricTable, Tally } from './metric.js';

export interface FleetSummary {
  /** Devices of the plan. */
  readonly devices: number;
  /** Devices that had a session at least once. */
  readonly ready: number;
  /** By cause. */
  readonly boots: Readonly<Record<string, number>>;
  /** By reason. */
  readonly wakes: Readonly<Record<string, number>>;
  readonly repeats: number;
  readonly restarts: number;
  readonly pollsFailed: number;
}

export class DeviceFold {
  readonly boots = new Tally();
  readonly wakes = new Tally();
  readonly wakePeak: BusiestSecond;
  readonly startup = new Distribution();
  readonly devices: number;
  repeats = 0;
  /** Waits that ended in a second repetition of the same datagram: wire protocol, section 14, quirk 13. */
  repetitionGaps = 0;
  restarts = 0;
  pollsFailed = 0;
  readonly #ready = new Set<number>();
  readonly #up = new Set<number>();
  readonly #bootedAt = new Map<number, Instant>();
  readonly #lastRepeat = new Map<number, { at: Instant; inARow: number }>();

  /** @param warmUp radios that are woken earlier do not make a busiest second */
  constructor(devices: number, warmUp: Millis = 0) {
    this.devices = devices;
    this.wakePeak = new BusiestSecond(warmUp);
  }

  get ready(): number {
    return this.#ready.size;
  }

  /** Devices that had a session since they booted last. */
  get up(): number {
    return this.#up.size;
  }

  readonly on: Handlers = {
    'device.boot': (event) => {
      this.boots.add(event.cause);
      this.#bootedAt.set(event.serial, event.at);
      this.#up.delete(event.serial);
    },
    'device.ready': (event) => {
      this.#ready.add(event.serial);
      this.#up.add(event.serial);
      const booted = this.#bootedAt.get(event.serial);
      if (booted === undefined) return;
      this.startup.record(event.at - booted);
      this.#bootedAt.delete(event.serial);
    },
    'device.wake': ({ at, why }) => {
      this.wakes.add(why);
      this.wakePeak.add(at);
    },
    'device.repeat': (event) => {
      this.repeats++;
      const last = this.#lastRepeat.get(event.serial);
      // The same datagram when it waited exactly since the last repetition; real time has fractions of a millisecond.
      const again = last !== undefined && Math.abs(event.at - event.waited - last.at) < 1;
      const inARow = again ? last.inARow + 1 : 1;
      if (inARow === 2) this.repetitionGaps++;
      this.#lastRepeat.set(event.serial, { at: event.at, inARow });
    },
    'device.restart': () => {
      this.restarts++;
    },
    'poll.failed': () => {
      this.pollsFailed++;
    },
  };

  summary(): FleetSummary {
    return {
      devices: this.devices,
      ready: this.ready,
      boots: this.boots.toRecord(),
      wakes: this.wakes.toRecord(),
      repeats: this.repeats,
      restarts: this.restarts,
      pollsFailed: this.pollsFailed,
    };
  }
}

const BOOTS: Readonly<Record<BootCause, string>> = {
  power: 'boots because the power came',
  shell: 'boots by a command, or by a connection to the bootloader',
  button: 'boots by the button',
  config: 'boots after a configuration downlink',
  watchdog: 'boots by a watchdog',
  'brown-out': 'boots because the battery gave way',
  'claim-token': 'boots for want of a claim token',
  update: 'boots into another firmware, or back',
};

const WAKES: Readonly<Record<ContactReason, string>> = {
  boot: 'times that a radio was woken to set up a session',
  report: '… for a regular report',
  event: '… for the report of an event',
  poll: '… for a poll',
  shell: '… by a command',
  button: '… by the button',
  answer: '… for the answer to a downlink',
};

export const DEVICE_METRICS: MetricTable<DeviceFold> = {
  'fleet.devices': { about: 'devices of the plan', count: (fold) => fold.devices },
  'device.ready': { about: 'devices that had a session at least once', count: (fold) => fold.ready },
  'device.up': { about: 'devices that had a session since their last boot', count: (fold) => fold.up },
  'device.boots': { about: 'boots, whatever their cause', count: (fold) => fold.boots.total },
  ...counts('boot', BOOTS, ({ boots }) => boots),
  'device.startup': { about: 'from a boot to the session', durations: (fold) => fold.startup },
  'device.wakes': { about: 'times that a radio was woken', count: (fold) => fold.wakes.total },
  ...counts('wake', WAKES, ({ wakes }) => wakes),
  'wake.peak': {
    about: 'radios that were woken in the busiest second, warm-up excluded',
    count: (fold) => fold.wakePeak.most,
  },
  'device.repeats': { about: 'datagrams that were sent again', count: (fold) => fold.repeats },
  'device.repetition-gaps': {
    about: 'datagrams sent three times or more: the first repetition is never answered',
    count: (fold) => fold.repetitionGaps,
  },
  'device.restarts': { about: 'transfers that began again from sequence 0', count: (fold) => fold.restarts },
  'poll.failed': { about: 'polls that were given up', count: (fold) => fold.pollsFailed },
};

/** A metric for every name of a tally. */
function counts(
  family: string,
  names: Readonly<Record<string, string>>,
  tally: (fold: DeviceFold) => Tally,
): MetricTable<DeviceFold> {
  return Object.fromEntries(
    Object.entries(names).map(([name, about]) => [
      `${family}.${name}`,
      { about, count: (fold: DeviceFold) => tally(fold).of(name) },
    ]),
  );
}
