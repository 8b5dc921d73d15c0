/** The faults of the embedded cloud at work: they get in the way of its API and of its store. */

import type { Interference } from '../../cloud/operations/interference.js';
import type { Clock } from '../../kernel/clock.js';
import { NoiseStream, noiseSeed, type Random } from '../../kernel/random.js';
import type { ServiceFault } from '../../scenario/faults/service.js';
import type { PlannedServiceFault } from '../../scenario/plan.js';
import { apiDelay } from './api-delay.js';
import { apiErrors } from './api-errors.js';
import { serviceDown } from './service-down.js';
import type { ServiceFaultBehaviour, Strike } from './service-fault.js';
import { storeUnavailable } from './store-unavailable.js';

const BEHAVIOURS = {
  'api-errors': apiErrors,
  'api-delay': apiDelay,
  'store-unavailable': storeUnavailable,
  'service-down': serviceDown,
} as const;

export interface ServiceFaultOptions {
  readonly faults: readonly PlannedServiceFault[];
  readonly clock: Clock;
  readonly random: Random;
  /** Told of every time that a fault struck. */
  readonly struck: (fault: ServiceFault['kind']) => void;
}

/** Nothing goes wrong before the world has begun: what the run itself needs is made then. */
export class ServiceFaults implements Interference {
  readonly #options: ServiceFaultOptions;
  readonly #draws: NoiseStream;
  #begun = false;

  constructor(options: ServiceFaultOptions) {
    this.#options = options;
    this.#draws = new NoiseStream(noiseSeed(options.random.fork('service-faults')));
  }

  begin(): void {
    this.#begun = true;
  }

  end(): void {
    this.#begun = false;
  }

  /** Devices that come over HTTP are met by what goes wrong with the network. */
  async request(url: string): Promise<number | undefined> {
    if (url.startsWith('/v2/device/')) return undefined;
    for (const fault of this.#holding()) {
      const strike = behaviourOf(fault).request?.(fault, this.#draws);
      if (strike === undefined) continue;
      this.#options.struck(fault.kind);
      const status = await this.#suffer(strike);
      if (status !== undefined) return status;
    }
    return undefined;
  }

  get storeFails(): boolean {
    for (const fault of this.#holding()) {
      if (!behaviourOf(fault).noWrites) continue;
      this.#options.struck(fault.kind);
      return true;
    }
    return false;
  }

  #suffer(strike: NonNullable<Strike>): Promise<number | undefined> {
    if (strike.kind === 'answer') return Promise.resolve(strike.status);
    return new Promise((resolve) => {
      this.#options.clock.after(strike.by, 'a request that a fault holds up', () => resolve(undefined));
    });
  }

  *#holding(): Iterable<ServiceFault> {
    if (!this.#begun) return;
    const { faults, clock } = this.#options;
    for (const { fault, from, until } of faults) {
      if (clock.now >= from && (until === null || clock.now < until)) yield fault;
    }
  }
}

function behaviourOf({ kind }: ServiceFault): ServiceFaultBehaviour<ServiceFault> {
  // Because the entry of a kind takes the options of that kind.
  return BEHAVIOURS[kind] as ServiceFaultBehaviour<ServiceFault>;
}
