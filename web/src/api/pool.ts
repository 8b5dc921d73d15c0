/**
 * Connections of the API client, on top of `fetch`. The build replaces undici by this file, which contains the part of undici
 * that the client uses (src/client/http.ts).
 */
import { signal } from '@preact/signals';
import { doubtService } from './answering.js';
import { dated } from './service-time.js';
import { isShown } from './shown.js';
import { Silence } from './silence.js';

interface PoolRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | null;
  readonly signal?: AbortSignal;
}

/** Time without an answer after which the console checks whether the service answers at all (answering.ts), in ms. */
export const PATIENCE = 10_000;
/** Longest time for an answer to a request that reads, or that changes something, in ms. */
const LONGEST_READ = 30_000;
const LONGEST_CHANGE = 120_000;

/** State of the connection for the event stream. */
export const connection = signal<'connecting' | 'live' | 'lost'>('connecting');

export class Pool {
  readonly #origin: string;
  readonly #ending = new AbortController();

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** Leaves out what may be wrapped around requests: it concerns simulated timers of Node only. */
  compose(): this {
    return this;
  }

  async request(request: PoolRequest) {
    const late = new AbortController();
    const doubting = setTimeout(() => void doubtService(), PATIENCE);
    const limit = longestOf(request);
    const ended = limit === undefined ? undefined : setTimeout(() => late.abort(), limit);
    try {
      const ending = AbortSignal.any([late.signal, this.#ending.signal]);
      const response = await send(this.#origin, { ...request, signal: ending });
      if (response.status >= 500) void doubtService();
      const text = await response.text();
      const headers = Object.fromEntries(response.headers);
      return { statusCode: response.status, headers, body: { text: async () => text } };
    } catch (error) {
      if (!this.#ending.signal.aborted) void doubtService();
      throw error;
    } finally {
      clearTimeout(doubting);
      clearTimeout(ended);
    }
  }

  /** Aborts running requests. */
  async close(): Promise<void> {
    this.#ending.abort();
  }
}

/**
 * Times in ms. A connection counts as broken if the headers of the response do not arrive within the first time, or the next
 * piece of its body within the second.
 */
interface Limits {
  readonly headersTimeout: number;
  readonly bodyTimeout: number;
}

/** A connection for one long response, such as the event stream. */
export class Client {
  readonly #origin: string;
  readonly #limits: Limits;
  readonly #ending = new AbortController();
  readonly #silence = new Silence(() => this.#ending.abort());

  constructor(origin: string, limits: Limits) {
    this.#origin = origin;
    this.#limits = limits;
  }

  async request({ signal: ended, ...request }: PoolRequest) {
    const ending = AbortSignal.any([this.#ending.signal, ...(ended ? [ended] : [])]);
    this.#silence.expect(this.#limits.headersTimeout);
    const response = await send(this.#origin, { ...request, signal: ending });
    this.#silence.expect(this.#limits.bodyTimeout);
    if (response.ok) connection.value = 'live';
    const body = { text: () => response.text(), [Symbol.asyncIterator]: () => this.#pieces(response) };
    return { statusCode: response.status, headers: Object.fromEntries(response.headers), body };
  }

  async *#pieces(response: Response): AsyncGenerator<Uint8Array> {
    for await (const piece of piecesOf(response)) {
      this.#silence.expect(this.#limits.bodyTimeout);
      yield piece;
    }
  }

  async destroy(): Promise<void> {
    this.#silence.stop();
    connection.value = isShown.value ? 'lost' : 'connecting';
    this.#ending.abort();
  }
}

/**
 * The longest time for an answer. Undefined for requests below `/run/` and `/scenarios/`, which may take any time, such as the
 * comparison of two runs.
 */
function longestOf({ method, path }: PoolRequest): number | undefined {
  if (/^\/(run|scenarios)\//.test(path)) return undefined;
  return method === 'GET' ? LONGEST_READ : LONGEST_CHANGE;
}

async function send(
  origin: string,
  { method, path, headers, body = null, signal: ended }: PoolRequest,
): Promise<Response> {
  const sent = Date.now();
  const response = await fetch(origin + path, {
    ...{ method, headers, body, credentials: 'same-origin', cache: 'no-store' },
    ...(ended && { signal: ended }),
  });
  dated(response.headers.get('date'), sent, response.headers.get('x-speed'));
  return response;
}

/**
 * Reads the body piece by piece. A reader is used, because `for await` over the body of a response does not work in every
 * browser.
 */
async function* piecesOf({ body }: Response): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  for (;;) {
    const piece = await reader?.read();
    if (!piece?.value) return;
    yield piece.value;
  }
}
