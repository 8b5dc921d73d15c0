/** The invariants, by the name that they have in a scenario. To add one: write its file, list it here. */
import { type Dispatch, dispatchTo } from '../dispatch.js';
import type { TraceEvent } from '../events.js';
import type { Fold } from '../log.js';
import { downlinksAnswered } from './downlinks-answered.js';
import { downlinksExecutedOnce } from './downlinks-executed-once.js';
import { downlinksSettled } from './downlinks-settled.js';
import { type Invariant, type Violation, Violations } from './invariant.js';
import { noDeliveryAfterCancel } from './no-delivery-after-cancel.js';
import { noLossAcrossReconnects } from './no-loss-across-reconnects.js';
import { uplinksInOrder } from './uplinks-in-order.js';
import { uplinksStoredOnce } from './uplinks-stored-once.js';

export const INVARIANTS: Readonly<Record<string, Invariant>> = {
  'uplinks-stored-once': uplinksStoredOnce,
  'uplinks-in-order': uplinksInOrder,
  'no-loss-across-reconnects': noLossAcrossReconnects,
  'downlinks-settled': downlinksSettled,
  'downlinks-answered': downlinksAnswered,
  'downlinks-executed-once': downlinksExecutedOnce,
  'no-delivery-after-cancel': noDeliveryAfterCancel,
};

/** What has become of an invariant. */
export interface InvariantVerdict {
  readonly violations: number;
  /** The earliest; undefined when there is none. */
  readonly first: Violation | undefined;
}

/** Watches over those invariants that somebody asked for; the others cost nothing. */
export class Invariants implements Fold {
  readonly #verdicts = new Map<string, Violations>();
  readonly #dispatch: Dispatch;
  readonly #ends: (() => void)[] = [];

  constructor(names: Iterable<string>) {
    const watches = [...new Set(names)].map((name) => {
      const invariant = Object.hasOwn(INVARIANTS, name) ? INVARIANTS[name] : undefined;
      if (invariant === undefined) throw new Error(`"${name}" is not an invariant`);
      const violations = new Violations();
      const watch = invariant.watch(violations);
      this.#verdicts.set(name, violations);
      this.#ends.push(() => watch.end?.());
      return watch;
    });
    this.#dispatch = dispatchTo(watches);
  }

  take(event: TraceEvent): void {
    const handlers = this.#dispatch.get(event.kind);
    if (handlers !== undefined) for (const handler of handlers) handler(event);
  }

  /** The trace is over; to be called once. */
  end(): void {
    for (const end of this.#ends.splice(0)) end();
  }

  /** undefined when nobody asked for it. */
  verdict(name: string): InvariantVerdict | undefined {
    const violations = this.#verdicts.get(name);
    return violations && { violations: violations.count, first: violations.first };
  }
}
