/**
 * Sends requests to untrusted targets. The duration of an exchange and the length of a response are limited, redirects are not
 * followed, and the guard must permit the address.
 */
import type { Clock } from '../../kernel/clock.js';
import { reasonOf } from '../../kernel/no-answer.js';
import type { Millis } from '../../kernel/time.js';
import type { WebhookRequest } from './request.js';
import { TargetRefused } from './target-refused.js';
import type { Targets, WebClient } from './web-client.js';

export type Reply =
  /** The target responded. `text`: first characters of the body; empty for a 2xx status. */
  | { readonly kind: 'answer'; readonly status: number; readonly text: string }
  /** The guard does not permit the target. */
  | { readonly kind: 'refused'; readonly why: string }
  /** There was no response. */
  | { readonly kind: 'silence'; readonly why: string };

interface SenderOptions extends Targets {
  /** Clock of the timeout. Real time, also in a simulation, because the targets are outside of it. */
  readonly patience: Clock;
}

/** Maximum size of the body of a response; the connection is closed if the body is longer. */
const BODY_BYTES = 65_536;
/** Number of characters of the body that are kept. */
const EXCERPT = 500;

export class Sender {
  readonly #options: SenderOptions;
  #client: Promise<WebClient> | undefined;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  /** Sends a request. Never rejects: every failure of the target is a reply. @param timeout for the whole exchange */
  async send({ url, method, header, body }: WebhookRequest, timeout: Millis): Promise<Reply> {
    const aborter = new AbortController();
    const tooLate = `no response within ${timeout / 1000} s`;
    const alarm = this.#options.patience.after(timeout, 'the response to a webhook', () =>
      aborter.abort(new Error(tooLate)),
    );
    try {
      this.#client ??= clientOf(this.#options);
      const { agent, send } = await this.#client;
      const answer = await send(url, {
        dispatcher: agent,
        // The cast is safe because request.ts accepts only methods that undici supports.
        method: method as 'POST',
        headers: header,
        body,
        signal: aborter.signal,
        // The alarm above limits the whole exchange; undici's own timeouts limit only parts of it.
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

  /** Aborts running requests and closes all connections. */
  async close(): Promise<void> {
    await (await this.#client)?.agent.destroy();
  }
}

/** Loads the HTTP client. Called with the first request, so that a service without connectors starts faster. */
async function clientOf(targets: Targets): Promise<WebClient> {
  const { webClient } = await import('./web-client.js');
  return webClient(targets);
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}

/** First characters of a body. A body that ends early, takes too long or is too long is cut: only the status matters. */
async function beginningOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const part of body) {
      if (bytes < EXCERPT * 4) parts.push(part);
      bytes += part.length;
      // Leaving the loop closes the connection.
      if (bytes > BODY_BYTES) break;
    }
  } catch {
    // The parts received so far are kept.
  }
  const text = Buffer.concat(parts).toString('utf8');
  return text.replace(/[\p{Cc}\p{Surrogate}]+/gu, ' ').slice(0, EXCERPT);
}

/** The guard's refusal; it may be wrapped if several addresses were tried. */
function refusalIn(error: unknown): TargetRefused | undefined {
  if (error instanceof TargetRefused) return error;
  if (!(error instanceof Error)) return undefined;
  const inner = error instanceof AggregateError ? error.errors : [error.cause];
  return inner.map(refusalIn).find((found) => found !== undefined);
}
