/**
 * API requests of users during a run, in addition to the steps. A load carries out iterations: a prepared call, or a chain of
 * requests of one's own. An open-loop load begins them at times that do not depend on answers; in a closed-loop load, each user
 * begins the next one when the last one has ended.
 *
 * The two measure different things. Requests of an open-loop load are sent whether or not the service keeps up, like those of
 * many independent users; if the service stalls, the measured latencies include the requests that were due during the stall. A
 * closed-loop load sends fewer requests to a slow service, so the service looks better than it is: reports mark such loads.
 */
import type { Instant, Millis } from '../../kernel/time.js';
import type { ArrivalTrace } from './arrival-trace.js';
import type { CallSpec } from './calls.js';
import type { ChainsSpec } from './chains.js';
import type { LoadData } from './data-rows.js';
import type { RecordedSpec } from './recorded.js';

/** What a load sends. */
export type LoadCall = CallSpec | ChainsSpec | RecordedSpec;

/** One entry of the `load` of a scenario. */
export interface Load {
  /** `latest-value to clime`, for reports; unique. */
  readonly name: string;
  readonly call: LoadCall;
  /** The client of `setup` whose API key the load uses; left out for the key of the run. */
  readonly as?: string | undefined;
  readonly from: Instant;
  readonly until: Instant;
  readonly pace: Pace;
  /** Rows for the iterations; left out if requests need none. */
  readonly data?: LoadData;
}

export type Pace =
  | { readonly kind: 'open'; readonly spacing: 'even' | 'poisson'; readonly pieces: readonly RatePiece[] }
  | { readonly kind: 'replay'; readonly file: string; readonly trace: ArrivalTrace }
  | EachPace
  | UserPace;

/** One iteration for each device, evenly spread over a time. */
interface EachPace {
  readonly kind: 'each';
  readonly over: Millis;
  /** Number of devices; the plan fills it in. */
  readonly count: number;
}

/** Users that each wait for the end of an iteration before they begin the next one. */
export interface UserPace {
  readonly kind: 'closed';
  /** Their largest number. */
  readonly users: number;
  /** Pause of a user between the end of an iteration and the next one; with `longestThink`, the shortest one. */
  readonly think: Millis;
  /** Each pause is drawn from `think` to this; left out if all pauses are equal. */
  readonly longestThink?: Millis;
  /** After a rejected request, users wait for the time in `Retry-After`; left out if they ignore this header. */
  readonly patient?: true;
  /** How many users there are over time; left out if the number is steady. Users come and go as in k6 (users.ts). */
  readonly pieces?: readonly RatePiece[];
  /** The load ends after this number of iterations, which the users share; left out for no limit. */
  readonly iterations?: number;
}

/** A period in which a rate, or a number of users, changes linearly from `first` to `last`; if it is steady, they are equal. */
export interface RatePiece {
  readonly from: Instant;
  readonly until: Instant;
  /** Iterations a second, or users. */
  readonly first: number;
  readonly last: number;
}
