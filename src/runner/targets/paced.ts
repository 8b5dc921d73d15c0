/**
 * Limits the load on a service that has other users: limits concurrent requests and requests a second, and obeys
 * `Retry-After`.
 */
import PQueue from 'p-queue';
import { ApiError, ConnectionError, type Gate } from '../../client/client.js';
import { abortMany } from '../../kernel/abort-many.js';
import type { Clock } from '../../kernel/clock.js';
import { pause } from '../../kernel/deadline.js';
import { asError } from '../../kernel/errors.js';
import { RealClock } from '../../kernel/real-clock.js';
import { humanDuration, type Instant, type Millis, minutes, seconds } from '../../kernel/time.js';
import { Budget } from './budget.js';
import { RequestLimit } from './request-limit.js';

export interface Pace {
  /** Maximum number of concurrent requests. */
  readonly atOnce: number;
  /** Limit of requests a second; null for no limit. */
  readonly perSecond: number | null;
}

/** The service has rejected a request, so all requests wait. */
export interface RequestWait {
  /** HTTP status of the answer: 429 or 503. */
  readonly status: number;
  /** How long the requests wait, in real time. */
  readonly delay: Millis;
  /** Whether the requests are those of the clean-up. */
  readonly cleansUp?: boolean;
}

export interface Patience {
  /**
   * Ends the wait of a request if it is aborted; the request then fails with the answer of the service. It is read when a wait
   * begins. Default: waits last as long as the service demands.
   */
  readonly signal?: AbortSignal;
  /** Called when a wait begins or becomes longer, and with undefined when the requests go on. */
  readonly waits?: (wait: RequestWait | undefined) => void;
  /** Limits the time of all requests together. It is read when a request begins. Default: no limit. */
  readonly budget?: Budget | undefined;
}

/**
 * How long the requests of a run wait: until it is interrupted. Those of its clean-up wait until a later interrupt. Those before
 * the run begins and after its end also have a budget of time.
 */
export class RunPatience implements Patience {
  readonly #waits: Patience['waits'];
  readonly #run = abortMany();
  readonly #cleanUp = abortMany();
  /** The budgets before the run begins, after its end, and of its clean-up. */
  readonly #budgets: { readonly setUp: Budget; readonly run: Budget; readonly cleanUp: Budget } | undefined;
  #phase: 'setUp' | 'run' | 'cleanUp' = 'setUp';
  #isOpen = false;

  /** @param pace limits of the requests to another cloud. Default: no budgets */
  constructor(waits?: Patience['waits'], pace?: Pace, clock: Pick<Clock, 'now' | 'after'> = new RealClock()) {
    this.#waits = waits;
    const made = () => new Budget(clock, pace?.perSecond ?? null);
    this.#budgets = pace && { setUp: made(), run: made(), cleanUp: made() };
    this.#budgets?.setUp.begin();
  }

  readonly waits = (wait: RequestWait | undefined): void => {
    this.#waits?.(wait && { ...wait, ...(this.#phase === 'cleanUp' && { cleansUp: true }) });
  };

  get budget(): Budget | undefined {
    return this.#budgets?.[this.#phase];
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /**
   * Ends all waits of the run, or of its clean-up if that has begun. Before the cloud is open, its requests end as well: they
   * create nothing.
   */
  end(reason: Error): void {
    if (!this.#isOpen) this.#budgets?.setUp.giveUp(reason);
    this.#controller.abort(reason);
  }

  get #controller(): AbortController {
    return this.#phase === 'cleanUp' ? this.#cleanUp : this.#run;
  }

  /** Opens the cloud. Its requests end when `signal` is aborted. */
  async opening<T>(signal: AbortSignal | undefined, open: () => Promise<T> | T): Promise<T> {
    const end = () => this.end(asError(signal?.reason));
    signal?.addEventListener('abort', end);
    if (signal?.aborted) end();
    try {
      return await open();
    } finally {
      signal?.removeEventListener('abort', end);
      this.#isOpen = true;
    }
  }

  /** Called when everything is set up. */
  runBegins(): void {
    this.#phase = 'run';
    this.#budgets?.setUp.end();
  }

  /** Called at the end of the run, before its last requests. */
  runEnds(): void {
    this.#budgets?.run.begin();
  }

  /** Called when the clean-up begins. */
  beginCleanUp(): void {
    this.#phase = 'cleanUp';
    // Requests of the run may still be open.
    this.#budgets?.run.begin();
    this.#budgets?.cleanUp.begin();
  }

  /** Called when all requests have ended. */
  close(): void {
    for (const budget of Object.values(this.#budgets ?? {})) budget.end();
  }
}

/** A request whose connection broke this many times fails: the service or the network has a real problem. */
const MOST_BREAKS = 5;
/** Codes of connections that the other side has closed or reset. */
const BROKEN: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** A service that asks to wait longer is not usable now: the request fails. Services usually ask for seconds. */
const LONGEST_WAIT = minutes(10);

/** A request that was rejected this many times is not repeated again, and fails. */
const MOST_TRIES = 20;

/**
 * A request that is answered with 429, or with 503 and a `Retry-After`, was not processed. It is repeated after the demanded
 * time; after a 429, this is at least 1 s. If it is more than 10 min, the request fails. Meanwhile the queue is paused. A
 * request whose connection broke is repeated at once, except POST: a server may close an idle connection at the moment of the
 * next request. Other methods may be repeated, although the first one may have had its effect (RFC 9110, 9.2.2).
 * @param limit of all requests, also repeated ones. Default: that of `pace`, for this gate alone
 */
export function makeGate(
  pace: Pace,
  clock: Pick<Clock, 'now' | 'after'>,
  patience: Patience = {},
  limit: RequestLimit | undefined = limitOf(pace, clock),
): Gate {
  const queue = new PQueue({ concurrency: pace.atOnce });
  let resting = 0;
  let until: Instant = 0;
  /** Resolves with false if the wait was ended early. */
  const rest = async (wait: RequestWait): Promise<boolean> => {
    queue.pause();
    if (resting++ === 0 || clock.now + wait.delay > until) {
      until = clock.now + wait.delay;
      patience.budget?.pause();
      patience.waits?.(wait);
    }
    // The announcement may have ended the wait.
    const { signal } = patience;
    const waited = await pause({ clock, limit: wait.delay, what: 'the rate limit of the cloud', signal });
    if (--resting === 0) {
      patience.budget?.resume();
      patience.waits?.(undefined);
      queue.start();
    }
    return waited;
  };
  // A request that waits for its repetition still counts as one of the concurrent requests.
  const untilTaken = async <T>(request: (signal?: AbortSignal) => Promise<T>): Promise<T> => {
    let breaks = 0;
    for (let tries = 1; ; tries++) {
      try {
        return await sendWithin(limit, request, patience);
      } catch (error) {
        if (isBroken(error) && ++breaks < MOST_BREAKS && !patience.signal?.aborted) continue;
        const wait = waitAfter(error);
        if (tries === MOST_TRIES || patience.signal?.aborted) throw error;
        if (!(await rest(wait))) throw error;
      }
    }
  };
  return (request) => queue.add(() => untilTaken(request));
}

/** Sends a request within the limit and the budget, if there are any, and counts its answer. */
async function sendWithin<T>(
  limit: RequestLimit | undefined,
  request: (signal?: AbortSignal) => Promise<T>,
  patience: Patience,
): Promise<T> {
  await limit?.turn(patience.signal);
  const { budget } = patience;
  try {
    const answer = await request(budget?.signal);
    budget?.answered();
    return answer;
  } catch (error) {
    if (error instanceof ApiError) budget?.answered();
    throw error;
  }
}

/** Undefined for no limit. @param clock real time */
export function limitOf(
  { perSecond }: Pick<Pace, 'perSecond'>,
  clock: Pick<Clock, 'now' | 'after'>,
): RequestLimit | undefined {
  return perSecond === null ? undefined : new RequestLimit(perSecond, clock);
}

function isBroken(error: unknown): boolean {
  return error instanceof ConnectionError && error.method !== 'POST' && BROKEN.has(error.code);
}

/** The wait that a rejection asks for. @throws the error if the request must not be repeated; an ApiError for a long wait */
function waitAfter(error: unknown): RequestWait {
  if (!(error instanceof ApiError)) throw error;
  const { status, retryAfter, method, path } = error;
  const delay = status === 429 ? Math.max(retryAfter ?? 0, seconds(1)) : status === 503 ? retryAfter : undefined;
  if (delay === undefined) throw error;
  if (delay <= LONGEST_WAIT) return { status, delay };
  const asked = `the service asks to wait ${humanDuration(delay)}, so it is not usable now`;
  throw new ApiError(status, `${asked} (limit ${humanDuration(LONGEST_WAIT)})`, method, path, retryAfter);
}
