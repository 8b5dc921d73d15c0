/** Applies the faults of the embedded cloud: to its API, its store and its process. */

import { StoreUnavailable } from '../../cloud/store/store.js';
import type { DrivenClock } from '../../kernel/clock.js';
import type { ClockHold } from '../../kernel/clock-hold.js';
import { EndingClock } from '../../kernel/ending-clock.js';
import { asError } from '../../kernel/errors.js';
import type { Log } from '../../kernel/log.js';
import { NoiseStream, noiseSeed, type Random } from '../../kernel/random.js';
import { type Instant, type Millis, seconds } from '../../kernel/time.js';
import type { ServiceFault } from '../../scenario/faults/service.js';
import type { PlannedServiceFault } from '../../scenario/model/plan.js';
import { apiDelay } from './api-delay.js';
import { apiErrors } from './api-errors.js';
import { serviceDown } from './service-down.js';
import type { ServiceFaultBehaviour } from './service-fault.js';
import { serviceRestart } from './service-restart.js';
import type { StoreUse } from './store.js';
import { storeUnavailable } from './store-unavailable.js';

const BEHAVIOURS = {
  'api-errors': apiErrors,
  'api-delay': apiDelay,
  'store-unavailable': storeUnavailable,
  'service-down': serviceDown,
  'service-restart': serviceRestart,
} as const;

/** Delay after a failed start of the service, before the next try. */
const START_AGAIN = seconds(1);

interface ServiceFaultOptions {
  readonly faults: readonly PlannedServiceFault[];
  readonly clock: DrivenClock;
  readonly random: Random;
  /** Called each time a fault takes effect. */
  readonly struck: (fault: ServiceFault['kind']) => void;
}

export interface ServiceProcess {
  readonly running: boolean;
  /** Ends the process without finishing its work; has no effect if it does not run. */
  kill(): Promise<void>;
  /** Starts the process on its stored data. @throws StoreUnavailable if the data cannot be read */
  start(): Promise<void>;
}

/**
 * Decides which faults are active. Faults take effect only between `begin` and `end`, so they do not affect the provisioning.
 */
export class ServiceFaults {
  readonly #options: ServiceFaultOptions;
  readonly #draws: NoiseStream;
  readonly #clock: EndingClock;
  /** Undefined before `begin` and after `end`. */
  #service: ServiceProcess | undefined;
  #faults: readonly PlannedServiceFault[];

  constructor(options: ServiceFaultOptions) {
    this.#options = options;
    this.#faults = options.faults;
    this.#clock = new EndingClock(options.clock);
    this.#draws = new NoiseStream(noiseSeed(options.random.fork('service-faults')));
  }

  begin(service: ServiceProcess): void {
    this.#service = service;
    for (const planned of this.#faults) this.#plan(planned, service);
  }

  /** Adds a fault that begins now or later. */
  add(planned: PlannedServiceFault): void {
    this.#faults = [...this.#faults, planned];
    if (this.#service) this.#plan(planned, this.#service);
  }

  /** Ends a fault now, or cancels a fault that has not begun. */
  remove(planned: PlannedServiceFault): void {
    this.#faults = this.#faults.filter((each) => each !== planned);
    const service = this.#service;
    if (service && behaviourOf(planned.fault).away) {
      this.#at(this.#clock.now, 'the start of the service', () => this.#start(service));
    }
  }

  end(): void {
    this.#service = undefined;
    this.#clock.end();
  }

  /**
   * The HTTP status with which to reject an API request; undefined if no fault rejects it. Requests of devices are subject to
   * network faults instead. The pages of the console never fail, so that its user can lift the fault.
   */
  request(url: string): number | undefined {
    if (!url.startsWith('/v2/') || url.startsWith('/v2/device/')) return undefined;
    for (const fault of this.#holding()) {
      const status = behaviourOf(fault).request?.(fault, this.#draws);
      if (status === undefined) continue;
      this.#options.struck(fault.kind);
      return status;
    }
    return undefined;
  }

  /** @throws StoreUnavailable if a fault makes the store fail for this use */
  useStore(use: StoreUse): void {
    for (const fault of this.#holding()) {
      if (!behaviourOf(fault).stops?.(fault, use)) continue;
      this.#options.struck(fault.kind);
      throw new StoreUnavailable(new Error('a fault of the scenario'));
    }
  }

  /** Delays a request to the API. Resolves with true when the request arrives, or with false if the service is down. */
  async admit(hold: ClockHold): Promise<boolean> {
    const held = this.#delay();
    if (held > 0) await this.#hold(hold, held);
    return !this.missed();
  }

  /** Whether the service is down, which loses a request or datagram, an effect of `service-restart`. */
  missed(): boolean {
    if (this.#service?.running !== false) return false;
    this.#options.struck('service-restart');
    return true;
  }

  /** A log that discards errors while a fault is active, because the fault probably causes them. */
  quiet(log: Log): Log {
    return {
      info: (fields, message) => log.info(fields, message),
      warn: (fields, message) => log.warn(fields, message),
      error: (fields, message) => {
        if (this.#holding().length === 0) log.error(fields, message);
      },
    };
  }

  #plan(planned: PlannedServiceFault, service: ServiceProcess): void {
    const { fault, from, until } = planned;
    if (!behaviourOf(fault).away) return;
    this.#at(from, 'the end of the service', async () => {
      if (this.#faults.includes(planned)) await service.kill();
    });
    if (until !== null) this.#at(until, 'the start of the service', () => this.#start(service));
  }

  async #start(service: ServiceProcess): Promise<void> {
    if (service.running || this.#holding().some((fault) => behaviourOf(fault).away)) return;
    try {
      // A start reads the store first. This check fails in the same way, without opening a database in vain each second.
      this.useStore('read');
      await service.start();
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      this.#at(this.#clock.now + START_AGAIN, 'the start of the service', () => this.#start(service));
    }
  }

  #delay(): Millis {
    let sum: Millis = 0;
    for (const fault of this.#holding()) {
      const by = behaviourOf(fault).delay?.(fault) ?? 0;
      if (by > 0) this.#options.struck(fault.kind);
      sum += by;
    }
    return sum;
  }

  #hold(hold: ClockHold, by: Millis): Promise<void> {
    hold.suspend();
    return new Promise((resolve) => {
      this.#clock.after(by, 'a request that a fault holds up', () => {
        hold.resume();
        resolve();
      });
    });
  }

  /** Carries out an action at `moment`, and stops simulated time until the action is done. */
  #at(moment: Instant, what: string, act: () => Promise<void>): void {
    this.#clock.after(Math.max(0, moment - this.#clock.now), what, () => {
      const release = this.#clock.hold(what);
      act()
        .catch((error: unknown) => this.#options.clock.stop(asError(error)))
        .finally(release);
    });
  }

  #holding(): readonly ServiceFault[] {
    if (this.#service === undefined) return [];
    const { now } = this.#clock;
    return this.#faults.flatMap(({ fault, from, until }) =>
      now >= from && (until === null || now < until) ? fault : [],
    );
  }
}

function behaviourOf({ kind }: ServiceFault): ServiceFaultBehaviour<ServiceFault> {
  return BEHAVIOURS[kind] as ServiceFaultBehaviour<ServiceFault>;
}
