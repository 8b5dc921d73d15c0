/**
 * Sends batches to a collector (OTLP over HTTP). A batch that the collector rejects for the moment is sent again, until the
 * time for it is over.
 */

import { gzipSync } from 'node:zlib';
import { Agent, errors, request } from 'undici';
import type { Clock } from '../kernel/clock.js';
import { pause } from '../kernel/deadline.js';
import { isError } from '../kernel/errors.js';
import { USER_AGENT } from '../kernel/request-headers.js';
import { retryAfter } from '../kernel/retry-after.js';
import { reasonOf } from '../kernel/system-errors.js';
import { type Millis, seconds } from '../kernel/time.js';
import type { Received } from './response.js';
import type { Destination } from './settings.js';

const TYPES = { protobuf: 'application/x-protobuf', json: 'application/json' } as const;
/** Statuses of the specification after which a batch is sent again. */
const FOR_THE_MOMENT: readonly number[] = [429, 502, 503, 504];
/** Largest response in bytes. A collector answers with a few. */
const LARGEST_ANSWER = 1_048_576;
const FIRST_PAUSE: Millis = seconds(1);
const LONGEST_PAUSE: Millis = seconds(5);

/**
 * `again`: time after which to send the batch again, at least the usual pause. `refused`: never, because the collector has
 * decided about this batch. `away`: never, because no collector can be reached.
 */
type Attempt =
  | { readonly received: Received }
  | { readonly reason: string; readonly again: Millis | 'refused' | 'away' };

/** A batch that is lost. `refused`: the collector did not take this one, but it may take others. */
interface Lost {
  readonly lost: string;
  readonly refused: boolean;
}

interface SendOptions {
  /** Time for the batch, with all its repetitions. */
  readonly patience: Millis;
  /** Whether it is not worth waiting for a collector that cannot be reached. */
  readonly last: boolean;
  /** Ends the attempt. */
  readonly cancelled: AbortSignal;
}

export class Sender {
  readonly #clock: Clock;
  readonly #agent = new Agent({ maxResponseSize: LARGEST_ANSWER });

  /** @param clock real time */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @returns the response, or the reason why the batch is lost */
  async send(
    to: Destination,
    batch: Uint8Array,
    { patience, last, cancelled }: SendOptions,
  ): Promise<{ readonly received: Received } | Lost> {
    const over = new AbortController();
    let reason = 'no response before the end';
    /** Number of requests that have failed: the reason of the latest counts. */
    let failed = 0;
    const end = () => over.abort();
    const alarm = this.#clock.after(patience, 'the response of a collector', () => {
      if (failed === 0) reason = `no response within ${patience / 1000} s`;
      end();
    });
    cancelled.addEventListener('abort', end);
    if (cancelled.aborted) end();
    const { signal } = over;
    const body = to.gzip ? gzipSync(batch) : batch;
    try {
      for (let wait = FIRST_PAUSE; ; wait = Math.min(LONGEST_PAUSE, 2 * wait)) {
        const outcome = await this.#try(to, body, signal).catch(
          (error: unknown): Attempt => ({
            reason: whyOf(error),
            again: isTooLarge(error) ? 'refused' : last ? 'away' : 0,
          }),
        );
        if ('received' in outcome) return outcome;
        if (signal.aborted) return { lost: reason, refused: false };
        reason = outcome.reason;
        failed++;
        if (typeof outcome.again === 'string') return { lost: reason, refused: outcome.again === 'refused' };
        const limit = Math.max(wait, outcome.again);
        const goesOn = await pause({ clock: this.#clock, limit, what: 'the next attempt to send telemetry', signal });
        if (!goesOn) return { lost: reason, refused: false };
      }
    } finally {
      alarm.cancel();
      cancelled.removeEventListener('abort', end);
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  async #try(to: Destination, body: Uint8Array, signal: AbortSignal): Promise<Attempt> {
    const {
      statusCode,
      headers,
      body: response,
    } = await request(to.url, {
      method: 'POST',
      headers: {
        ...USER_AGENT,
        'content-type': TYPES[to.encoding],
        ...(to.gzip && { 'content-encoding': 'gzip' }),
        ...to.headers,
      },
      body,
      signal,
      dispatcher: this.#agent,
    });
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (statusCode >= 200 && statusCode < 300) {
      const [type = ''] = String(headers['content-type'] ?? '').split(';');
      return { received: { body: bytes, type: type.trim().toLowerCase() } };
    }
    const isForTheMoment = FOR_THE_MOMENT.includes(statusCode);
    return {
      reason: `the response has the status ${statusCode}`,
      again: isForTheMoment ? (retryAfter(headers) ?? 0) : 'refused',
    };
  }
}

/** Such a response came after the batch had arrived. */
function isTooLarge(error: unknown): boolean {
  return error instanceof errors.ResponseExceededMaxSizeError;
}

/** The HTTP client wraps the error of the system. */
function whyOf(error: unknown): string {
  return reasonOf(isError(error) && error.cause !== undefined ? error.cause : error);
}
