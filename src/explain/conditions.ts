/** How the faults of a run affect the exchanges of a device, if some causes (causes.ts) are assumed to be absent. */
import type { Ratio } from '../kernel/ratio.js';
import { type Instant, type Millis, seconds } from '../kernel/time.js';
import type { CauseSet } from './causes.js';
import { type ModemRules, recovered } from './recovery.js';
import type { FaultCalendar, FaultWindow, SituationFault } from './situation.js';

/** Time from a power-up to the first exchange: start, modem, attach (docs/FIDELITY.md). */
export const START: Millis = seconds(40);
/** Like {@link START}, with the shortest and with the longest attach. */
const QUICKEST_START: Millis = seconds(18);
const LONGEST_START: Millis = seconds(58);
/** A device that restarts repeatedly counts as started once the probability that all its starts failed is at most this. */
const HARDLY: Ratio = 0.3;
/** Maximum number of faults that follow one another without a gap. */
const MOST_FAULTS = 50;

interface Blocking {
  readonly fault: SituationFault;
  readonly window: FaultWindow;
}

export class Conditions {
  readonly #faults: readonly SituationFault[];
  readonly #modem: ModemRules;

  constructor(calendar: FaultCalendar, removed: CauseSet, modem: ModemRules) {
    this.#modem = modem;
    this.#faults = calendar.faults.flatMap(([index, fault]) => (removed.has(`fault:${index}`) ? [] : [fault]));
  }

  /** The time at which an exchange gets through if the device attempts it from `at` on; Infinity if it never does. */
  open(at: Instant): Instant {
    let now = at;
    for (let i = 0; i < MOST_FAULTS && Number.isFinite(now); i++) {
      const blocking = [...this.#blocking(now), ...this.#restarting(now)];
      if (blocking.length === 0) return now;
      now = Math.max(
        ...blocking.map(({ fault, window: { from, until } }) =>
          until === null ? Number.POSITIVE_INFINITY : recovered(fault.recovery, Math.max(at, from), until, this.#modem),
        ),
      );
    }
    return now;
  }

  /** Share of the round trips that get through at `at`. */
  passes(at: Instant): Ratio {
    return this.#hindering(at).reduce((share, { passes }) => share * passes, 1);
  }

  /** Share of the answers that are readable at `at`. */
  readable(at: Instant): Ratio {
    return this.#hindering(at).reduce((share, { garbles }) => share * (1 - garbles), 1);
  }

  /** Mean time by which a round trip is delayed at `at`. */
  delay(at: Instant): Millis {
    return this.#hindering(at).reduce((sum, { delay }) => sum + delay, 0);
  }

  #hindering(at: Instant): readonly SituationFault[] {
    return this.#faults.filter(
      ({ effect, windows }) => effect === 'hinders' && windows.some((window) => covers(window, at)),
    );
  }

  #blocking(at: Instant): readonly Blocking[] {
    return this.#faults.flatMap((fault) => {
      const window = fault.effect === 'blocks' ? fault.windows.find((each) => covers(each, at)) : undefined;
      return window === undefined ? [] : [{ fault, window }];
    });
  }

  /** Restarts in quick succession: between two of them, the device finishes its start only if its modem attaches quickly. */
  #restarting(at: Instant): readonly Blocking[] {
    return this.#faults.flatMap((fault) => {
      if (fault.effect !== 'restarts') return [];
      let last = at;
      let missed = 1;
      for (const { from } of fault.windows) {
        if (from < last || from - last > LONGEST_START) continue;
        missed *= 1 - Math.max(0, (from - last - QUICKEST_START) / (LONGEST_START - QUICKEST_START));
        if (missed <= HARDLY) break;
        last = from;
      }
      return last === at ? [] : [{ fault, window: { from: at, until: last + START } }];
    });
  }
}

function covers({ from, until }: FaultWindow, at: Instant): boolean {
  return from <= at && (until === null || at < until);
}
