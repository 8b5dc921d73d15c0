/** Passes each event of a trace to the handlers that are registered for its kind. */
import type { TraceEvent } from './events.js';

/** Handlers by the kind of the event. Kinds that are not listed are skipped. */
export type Handlers = {
  readonly [K in TraceEvent['kind']]?: (event: Extract<TraceEvent, { readonly kind: K }>) => void;
};

/** The handlers of several folds (`Fold` in log.ts), by the kind of the event. */
export type Dispatch = ReadonlyMap<string, readonly ((event: TraceEvent) => void)[]>;

/** Collects the handlers of `folds`; for each kind they are called in the order of the folds. */
export function dispatchTo(folds: Iterable<{ readonly on: Handlers }>): Dispatch {
  const handlers = new Map<string, ((event: TraceEvent) => void)[]>();
  for (const fold of folds) {
    for (const [kind, handler] of Object.entries(fold.on)) {
      const known = handlers.get(kind) ?? [];
      // The cast is safe because a handler is only called with events of the kind that it is listed under.
      handlers.set(kind, [...known, handler as (event: TraceEvent) => void]);
    }
  }
  return handlers;
}
