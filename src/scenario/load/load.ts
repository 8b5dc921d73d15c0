/**
 * API requests of users during a run, in addition to the steps: an open-loop load sends requests at a rate; in a closed-loop
 * load, each user waits for the answer before it sends the next request.
 *
 * The two kinds measure different things. Requests of an open-loop load are sent whether or not the service keeps up, like
 * those of many independent users; if the service stalls, the measured latencies include the requests that were due during the
 * stall. A closed-loop load sends fewer requests to a slow service, so the service looks better than it is: reports mark such
 * loads.
 */
import type { Instant, Millis } from '../../kernel/time.js';
import type { ArrivalTrace } from './arrival-trace.js';
import type { CallSpec } from './calls.js';

/** One entry of the `load` of a scenario. */
export interface Load {
  /** `latest-value to clime`, for reports; unique. */
  readonly name: string;
  readonly call: CallSpec;
  /** The client of `setup` whose API key the load uses; left out for the key of the run. */
  readonly as?: string | undefined;
  readonly from: Instant;
  readonly until: Instant;
  readonly pace: Pace;
}

export type Pace =
  | { readonly kind: 'open'; readonly spacing: 'even' | 'poisson'; readonly pieces: readonly RatePiece[] }
  | { readonly kind: 'replay'; readonly file: string; readonly trace: ArrivalTrace }
  | UserPace;

/** Users that each wait for the answer before they send the next request. */
export interface UserPace {
  readonly kind: 'closed';
  readonly users: number;
  /** Pause of a user between an answer and the next request. */
  readonly think: Millis;
  /** After a rejected request, users wait for the time in `Retry-After`; left out if they ignore this header. */
  readonly patient?: true;
}

/** A period in which the rate changes linearly from `first` to `last`; for a steady rate, the two are equal. */
export interface RatePiece {
  readonly from: Instant;
  readonly until: Instant;
  /** Requests a second. */
  readonly first: number;
  readonly last: number;
}
