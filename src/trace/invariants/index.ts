/** The invariants, by their name in scenarios. To add one: write its file and list it here. */
import { type Dispatch, dispatchTo } from '../dispatch.js';
import type { TraceEvent } from '../events.js';
import type { Fold } from '../log.js';
import { downlinksAnswered } from './downlinks-answered.js';
import { downlinksExecutedOnce } from './downlinks-executed-once.js';
import { downlinksSettled } from './downlinks-settled.js';
import { type Invariant, type ProtocolCases, type SeenAcks, type Violation, Violations } from './invariant.js';
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

export interface InvariantVerdict {
  readonly violations: number;
  /** The earliest violation; undefined when there are no violations. */
  readonly first: Violation | undefined;
  /** Cases that the protocol causes, which are not violations: their number and the earliest. */
  readonly byProtocol?: ProtocolCases;
}

/** Checks the invariants that the scenario names; the others take no time. */
export class Invariants implements Fold {
  readonly #verdicts = new Map<string, Violations>();
  readonly #dispatch: Dispatch;
  readonly #ends: (() => void)[] = [];

  /** @param names keys of {@link INVARIANTS} @throws Error for another name */
  constructor(names: Iterable<string>, acks: SeenAcks = 'unseen') {
    const watches = [...new Set(names)].map((name) => {
      const invariant = Object.hasOwn(INVARIANTS, name) ? INVARIANTS[name] : undefined;
      if (invariant === undefined) throw new Error(`"${name}" is not an invariant`);
      const violations = new Violations();
      const watch = invariant.watch(violations, acks);
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

  /** Judges the items that are still open at the end of the trace. Call it once. */
  end(): void {
    for (const end of this.#ends.splice(0)) end();
  }

  /** Result of the invariant `name`; undefined when it is not checked. */
  getVerdict(name: string): InvariantVerdict | undefined {
    const violations = this.#verdicts.get(name);
    if (violations === undefined) return undefined;
    const { count, first, byProtocol } = violations;
    return { violations: count, first, ...(byProtocol && { byProtocol }) };
  }
}
