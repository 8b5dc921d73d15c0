/** Applies the faults of the embedded cloud: to its API, its store and its process. */

import { StoreUnavailable } from '../../cloud/store/store.js';
import type { DrivenClock } from '../../kernel/clock.js';
import type { ClockHold } from '../../kernel/clock-hold.js';
import { EndingClock } from '../../kernel/ending-clock.js';
import { asError } from '../../kernel/errors.js';
import type { Log } from '../../kernel/log.js';
import { NoiseStream, noiseSeed, type Random } from '../../kernel/random.js';
import { type Instant, type Millis, seconds } from '../../kernel/time.js';
import { type FaultCall, type FaultOptions, kindOf } from '../../scenario/faults/index.js';
import type { ServiceBehaviour, StoreUse } from '../../scenario/faults/kind.js';
import type { FaultWindow } from '../../scenario/model/plan.js';

/** Delay after a failed start of the service, before the next try. */
const START_AGAIN = seconds(1);

/** A fault of the cloud in one of its periods. */
interface ActiveFault {
  readonly call: FaultCall;
  readonly behaviour: ServiceBehaviour<FaultOptions>;
  readonly window: FaultWindow;
}

interface ServiceFaultOptions {
  /** Faults of all parts; only those of the cloud are carried out. */
  readonly faults: readonly (FaultCall & { readonly windows: readonly FaultWindow[] })[];
  readonly clock: DrivenClock;
  readonly random: Random;
  /** Called each time a fault takes effect. */
  readonly struck: (fault: FaultCall['kind']) => void;
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
  #faults: readonly ActiveFault[];

  constructor(options: ServiceFaultOptions) {
    this.#options = options;
    this.#faults = options.faults.flatMap((call) => call.windows.flatMap((window) => activeFault(call, window) ?? []));
    this.#clock = new EndingClock(options.clock);
    this.#draws = new NoiseStream(noiseSeed(options.random.fork('service-faults')));
  }

  begin(service: ServiceProcess): void {
    this.#service = service;
    for (const planned of this.#faults) this.#plan(planned, service);
  }

  /** Adds a fault that begins now or later. */
  add(call: FaultCall, window: FaultWindow): void {
    const fault = activeFault(call, window);
    if (fault === undefined) return;
    this.#faults = [...this.#faults, fault];
    if (this.#service) this.#plan(fault, this.#service);
  }

  /** Ends a fault now, or cancels a fault that has not begun. */
  remove(call: FaultCall, window: FaultWindow): void {
    this.#faults = this.#faults.filter((each) => each.window !== window);
    const service = this.#service;
    if (service && kindOf(call).service?.away) {
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
    for (const { call, behaviour } of this.#holding()) {
      const status = behaviour.request?.(call.options, this.#draws);
      if (status === undefined) continue;
      this.#options.struck(call.kind);
      return status;
    }
    return undefined;
  }

  /** @throws StoreUnavailable if a fault makes the store fail for this use */
  useStore(use: StoreUse): void {
    for (const { call, behaviour } of this.#holding()) {
      if (!behaviour.stops?.(call.options, use)) continue;
      this.#options.struck(call.kind);
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

  #plan(fault: ActiveFault, service: ServiceProcess): void {
    if (!fault.behaviour.away) return;
    const { from, until } = fault.window;
    this.#at(from, 'the end of the service', async () => {
      if (this.#faults.includes(fault)) await service.kill();
    });
    if (until !== null) this.#at(until, 'the start of the service', () => this.#start(service));
  }

  async #start(service: ServiceProcess): Promise<void> {
    if (service.running || this.#holding().some(({ behaviour }) => behaviour.away)) return;
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
    for (const { call, behaviour } of this.#holding()) {
      const by = behaviour.delay?.(call.options) ?? 0;
      if (by > 0) this.#options.struck(call.kind);
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

  #holding(): readonly ActiveFault[] {
    if (this.#service === undefined) return [];
    const { now } = this.#clock;
    return this.#faults.filter(({ window: { from, until } }) => now >= from && (until === null || now < until));
  }
}

/** Undefined for a fault that is not of the cloud. */
function activeFault(call: FaultCall, window: FaultWindow): ActiveFault | undefined {
  const behaviour = kindOf(call).service;
  return behaviour && { call, behaviour, window };
}
