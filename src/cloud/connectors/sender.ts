/** Sends requests to untrusted targets: limited time and length, no redirects, only addresses that the guard permits. */

import { lookup as systemLookup } from 'node:dns';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Clock } from '../../kernel/clock.js';
import { LONGEST_REUSE } from '../../kernel/connection-age.js';
import { innerErrors, isError } from '../../kernel/errors.js';
import { limitInterim } from '../../kernel/interim-responses.js';
import { retryAfter } from '../../kernel/retry-after.js';
import { reasonOf } from '../../kernel/system-errors.js';
import { type Instant, type Millis, seconds } from '../../kernel/time.js';
import type { Id } from '../store/store.js';
import { checkHost, guarded, type Permission, TargetRefused } from './guard.js';
import { type Lookup, Lookups } from './lookups.js';
import type { WebhookRequest } from './request.js';

export type Reply =
  /** The target responded. `text`: first characters of the body; empty for a 2xx status. `retryAfter`: the wait it demands. */
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly text: string;
      readonly retryAfter?: Millis | undefined;
    }
  /** The guard does not permit the target. */
  | { readonly kind: 'refused'; readonly why: string }
  /** There was no response. */
  | { readonly kind: 'silence'; readonly why: string };

interface SenderOptions extends Permission {
  /** Default: the system's resolver. */
  readonly lookup?: Lookup | undefined;
  /** Clock of the timeout. Real time, also in a simulation, because the targets are outside of it. */
  readonly patience: Clock;
}

/** Maximum size of the body of a response; the connection is closed if the body is longer. */
const BODY_BYTES = 65_536;
/** Maximum size of the head of a response. */
const HEAD_BYTES = 16_384;
/** Maximum number of pieces of the body of a response, such as chunks. Each takes time, also one of a single byte. */
const BODY_PIECES = 1000;
/** How long an idle connection is kept. This time is short, because many targets close such connections after seconds. */
const IDLE = seconds(4);
/** How long a preview waits for the address of a name: a delivery would wait longer. */
const LONGEST_LOOKUP = seconds(2);
/** Number of characters of the body that are kept. */
const EXCERPT = 500;

export class Sender {
  readonly #options: SenderOptions;
  readonly #lookups: Lookups;
  /** Connections that later requests use again. */
  readonly #kept: Agents;
  /** A new connection for each request. */
  readonly #fresh: Agents;

  constructor(options: SenderOptions) {
    this.#options = options;
    const { patience, lookup = systemLookup } = options;
    this.#lookups = new Lookups(lookup, patience);
    const each = { timeout: IDLE };
    const kept = { ...each, keepAlive: true };
    this.#kept = { http: renewing(new HttpAgent(kept), patience), https: renewing(new HttpsAgent(kept), patience) };
    this.#fresh = { http: new HttpAgent(each), https: new HttpsAgent(each) };
  }

  /**
   * Sends a request. Never rejects: every failure of the target is a reply.
   * @param timeout for the whole exchange
   * @param tenant in whose turn the name of the target is looked up
   */
  async send(request: WebhookRequest, timeout: Millis, tenant: Id): Promise<Reply> {
    const { patience } = this.#options;
    const aborter = new AbortController();
    const tooLate = `no response within ${timeout / 1000} s`;
    const alarm = patience.after(timeout, 'the response to a webhook', () => aborter.abort(new Error(tooLate)));
    try {
      checkHost(new URL(request.url).hostname, this.#options);
      const answer = await this.#exchange(request, { tenant, signal: aborter.signal });
      const text = await beginningOf(answer);
      // Node sets the status of every response that it has received.
      const { statusCode: status = 0, headers } = answer;
      if (isSuccess(status)) return { kind: 'answer', status, text: '' };
      return { kind: 'answer', status, text, retryAfter: retryAfter(headers, patience.wall) };
    } catch (error) {
      const refusal = refusalIn(error);
      if (refusal) return { kind: 'refused', why: refusal.message };
      return { kind: 'silence', why: aborter.signal.aborted ? tooLate : reasonOf(error) };
    } finally {
      alarm.cancel();
    }
  }

  /** Why the guard would refuse the target of a request, as far as a short lookup shows; undefined if it would not. */
  async refusal({ url }: WebhookRequest, tenant: Id): Promise<string | undefined> {
    const { patience } = this.#options;
    const { hostname } = new URL(url);
    try {
      checkHost(hostname, this.#options);
    } catch (error) {
      return refusalIn(error)?.message;
    }
    if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return undefined;
    return new Promise((resolve) => {
      const aborter = new AbortController();
      const alarm = patience.after(LONGEST_LOOKUP, 'the lookup of a target', () => {
        aborter.abort();
        resolve(undefined);
      });
      this.#lookupOf({ tenant, signal: aborter.signal })(hostname, { all: true }, (error) => {
        alarm.cancel();
        resolve(refusalIn(error)?.message);
      });
    });
  }

  /** Repeats a request on a new connection if the target closed the reused one: deliveries are at-least-once anyway. */
  async #exchange(request: WebhookRequest, asker: Asker): Promise<IncomingMessage> {
    const { signal } = asker;
    const each = { signal, lookup: this.#lookupOf(asker) };
    try {
      return await exchange(request, this.#kept, each);
    } catch (error) {
      if (!(error instanceof StaleConnection) || signal.aborted) throw error;
      return exchange(request, this.#fresh, each);
    }
  }

  #lookupOf({ tenant, signal }: Asker): Lookup {
    return guarded(this.#options, this.#lookups.of(tenant, signal));
  }

  /** Aborts running requests and closes all connections. */
  close(): void {
    for (const { http, https } of [this.#kept, this.#fresh]) {
      http.destroy();
      https.destroy();
    }
  }
}

/** Closes each connection at the end of a request if its first request has ended {@link LONGEST_REUSE} before. */
function renewing<A extends HttpAgent>(agent: A, clock: Clock): A {
  const since = new WeakMap<Duplex, Instant>();
  const keep = agent.keepSocketAlive.bind(agent);
  // Overrides the method on the object: the agent calls it to learn whether to keep a connection.
  agent.keepSocketAlive = (socket) => {
    const first = since.get(socket) ?? clock.now;
    since.set(socket, first);
    return clock.now - first < LONGEST_REUSE && keep(socket);
  };
  return agent;
}

/** A connection that had carried an earlier request ended before the first byte of the response. */
class StaleConnection extends Error {}

/** For whom a name is looked up, and until when. */
interface Asker {
  readonly tenant: Id;
  readonly signal: AbortSignal;
}

interface Agents {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
}

/**
 * Sends the request; resolves with the final response, and rejects with {@link StaleConnection} if it is to be repeated. With
 * Node's own client, because it skips interim responses such as `100 Continue`, which a server may send without being asked
 * (RFC 9110, 15.2).
 */
function exchange(
  { url, method, header, body }: WebhookRequest,
  agents: Agents,
  each: { readonly signal: AbortSignal; readonly lookup: Lookup },
): Promise<IncomingMessage> {
  const isSecure = url.startsWith('https:');
  const length = body === null ? {} : { 'content-length': Buffer.byteLength(body) };
  const options = { method, headers: { ...header, ...length }, ...each, maxHeaderSize: HEAD_BYTES };
  return new Promise((resolve, reject) => {
    const request = isSecure
      ? httpsRequest(url, { ...options, agent: agents.https })
      : httpRequest(url, { ...options, agent: agents.http });
    let bytesBefore = 0;
    request.on('socket', (socket) => {
      bytesBefore = socket.bytesRead;
    });
    const fail = (error: Error) => {
      const isStale = request.reusedSocket && request.socket?.bytesRead === bytesBefore;
      reject(isStale ? new StaleConnection() : error);
    };
    request.on('response', resolve);
    limitInterim(request);
    // 101 Switching Protocols, which no request asks for. Node hands the connection over and forgets it: neither the end of the
    // response nor the timeout would come.
    request.on('upgrade', (response, socket) => {
      socket.destroy();
      response.destroy();
      resolve(response);
    });
    // Also later errors, which end the response as well.
    request.on('error', fail);
    // No effect after a response or an error.
    request.on('close', () => fail(new Error('connection lost')));
    request.end(body ?? undefined);
  });
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}

/** First characters of a body. A body that ends early, takes too long or is too long is cut: only the status matters. */
async function beginningOf(body: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let [bytes, pieces] = [0, 0];
  body.on('data', (part: Buffer) => {
    if (bytes < EXCERPT * 4) parts.push(part);
    bytes += part.length;
    pieces++;
    // Closes the connection as well.
    if (bytes > BODY_BYTES || pieces > BODY_PIECES) body.destroy();
  });
  // The parts received so far are kept.
  await finished(body).catch(() => {});
  const text = Buffer.concat(parts).toString('utf8');
  return text.replace(/[\p{Cc}\p{Surrogate}]+/gu, ' ').slice(0, EXCERPT);
}

/** The guard's refusal; it may be wrapped if several addresses were tried. */
function refusalIn(error: unknown): TargetRefused | undefined {
  if (error instanceof TargetRefused) return error;
  if (!isError(error)) return undefined;
  return (innerErrors(error) ?? [error.cause]).map(refusalIn).find((found) => found !== undefined);
}
