/**
 * Sends requests to places that nobody here knows: bounded in time and in what is read of the answer, without following
 * redirects, and only to addresses that the guard lets pass.
 */
import { Agent, request as send } from 'undici';
import type { Clock } from '../../kernel/clock.js';
import { reasonOf } from '../../kernel/no-answer.js';
import { type Millis, seconds } from '../../kernel/time.js';
import { guardedConnector, type Lookup, TargetRefused } from './guard.js';
import type { WebhookRequest } from './request.js';

export type Reply =
  /** Its status line has come; `text` is the beginning of the body of one that is no success. */
  | { readonly kind: 'answer'; readonly status: number; readonly text: string }
  /** The guard does not let it pass. */
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'silence'; readonly why: string };

export interface SenderOptions {
  /** Real time, also in a simulation: the outside world knows no other. */
  readonly patience: Clock;
  readonly allowPrivate: boolean;
  readonly lookup?: Lookup;
}

const CONNECT_TIMEOUT = seconds(10);
/** Of an answer's head. */
const HEAD_BYTES = 16_384;
/** Of an answer's body; the connection of a longer one is given up. */
const BODY_BYTES = 65_536;
/** What is kept of it. */
const EXCERPT = 500;

export class Sender {
  readonly #patience: Clock;
  readonly #agent: Agent;

  constructor({ patience, allowPrivate, lookup }: SenderOptions) {
    this.#patience = patience;
    this.#agent = new Agent({
      connect: allowPrivate
        ? { timeout: CONNECT_TIMEOUT, ...(lookup && { lookup }) }
        : guardedConnector(CONNECT_TIMEOUT, lookup),
      maxHeaderSize: HEAD_BYTES,
      // An idle connection is of no use to the next delivery for long.
      keepAliveTimeout: seconds(4),
    });
  }

  /** Never rejects: whatever the other side does is a reply. */
  async send({ url, method, header, body }: WebhookRequest, timeout: Millis): Promise<Reply> {
    const aborter = new AbortController();
    const tooLate = `no answer within ${timeout / 1000} s`;
    const alarm = this.#patience.after(timeout, 'the answer to a webhook', () => aborter.abort(new Error(tooLate)));
    try {
      const answer = await send(url, {
        dispatcher: this.#agent,
        // Because request.ts lets pass only methods that undici knows.
        method: method as 'POST',
        headers: header,
        body,
        signal: aborter.signal,
        // The alarm above bounds all of it; undici's own timers would only bound parts.
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      const text = await beginningOf(answer.body);
      const { statusCode: status } = answer;
      return { kind: 'answer', status, text: isSuccess(status) ? '' : text };
    } catch (error) {
      const refusal = refusalIn(error);
      if (refusal) return { kind: 'refused', why: refusal.message };
      return { kind: 'silence', why: aborter.signal.aborted ? tooLate : reasonOf(error) };
    } finally {
      alarm.cancel();
    }
  }

  /** Ends what is under way. */
  close(): Promise<void> {
    return this.#agent.destroy();
  }
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}

/** The status decides: an answer whose body breaks off, takes too long or does not end is an answer all the same. */
async function beginningOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const part of body) {
      if (bytes < EXCERPT * 4) parts.push(part);
      bytes += part.length;
      // Leaving the loop ends the connection.
      if (bytes > BODY_BYTES) break;
    }
  } catch {
    // What has come until then is kept.
  }
  const text = Buffer.concat(parts).toString('utf8');
  return text.replace(/[\p{Cc}\p{Surrogate}]+/gu, ' ').slice(0, EXCERPT);
}

/** The guard's refusal may be wrapped, when several addresses were tried. */
function refusalIn(error: unknown): TargetRefused | undefined {
  if (error instanceof TargetRefused) return error;
  if (!(error instanceof Error)) return undefined;
  const inner = error instanceof AggregateError ? error.errors : [error.cause];
  return inner.map(refusalIn).find((found) => found !== undefined);
}
