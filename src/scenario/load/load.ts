/**
 * What users of the cloud ask of its API during a run, beside the steps: requests at a rate, or users that each wait for their
 * answer before they ask again.
 *
 * The two are not the same measurement. At a rate (open), requests come whether or not the service keeps up, as the requests of
 * many users do; the latency of a stalled service includes the requests that were due during the stall. Users that
 * wait (closed) ask less of a slow service, and so make it look better than it is: reports mark them.
 */
import type { Instant, Millis } from '../../kernel/time.js';
import type { ArrivalTrace } from './arrival-trace.js';
import type { CallSpec } from './calls.js';

/** One line of the `load` of a scenario. */
export interface Load {
  /** `latest-value to clime`, for reports; no two loads have the same. */
  readonly name: string;
  readonly call: CallSpec;
  /** A client of the setup, with whose key it asks; left out: with that of the run. */
  readonly as?: string;
  readonly from: Instant;
  readonly until: Instant;
  readonly pace: Pace;
}

export type Pace =
  | { readonly kind: 'open'; readonly spacing: 'even' | 'poisson'; readonly pieces: readonly RatePiece[] }
  | { readonly kind: 'replay'; readonly file: string; readonly trace: ArrivalTrace }
  | UserPace;

/** Users that each wait for their answer before they ask again. */
export interface UserPace {
  readonly kind: 'closed';
  readonly users: number;
  readonly think: Millis;
  /** They stay away as long as the service asks them to (`Retry-After`); left out: they take no notice. */
  readonly patient?: true;
}

/** A stretch of time over which a rate changes evenly; a steady one has the same rate at both ends. */
export interface RatePiece {
  readonly from: Instant;
  readonly until: Instant;
  /** Requests a second. */
  readonly first: number;
  readonly last: number;
}
