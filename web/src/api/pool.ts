/**
 * Connections of the API client, on top of `fetch`. The build replaces undici by this file, which contains the part of undici
 * that the client uses (src/client/http.ts).
 */
import { signal } from '@preact/signals';
import { doubtService } from './answering.js';

interface PoolRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | null;
  readonly signal?: AbortSignal;
}

/** State of the connection for the event stream. */
export const connection = signal<'connecting' | 'live' | 'lost'>('connecting');

export class Pool {
  readonly #origin: string;
  readonly #ending = new AbortController();

  constructor(origin: string) {
    this.#origin = origin;
  }

  async request(request: PoolRequest) {
    const response = await send(this.#origin, { ...request, signal: this.#ending.signal }).catch((error: unknown) => {
      if (!this.#ending.signal.aborted) void doubtService();
      throw error;
    });
    if (response.status >= 500) void doubtService();
    return {
      statusCode: response.status,
      headers: Object.fromEntries(response.headers),
      body: { text: () => response.text() },
    };
  }

  /** Aborts running requests. */
  async close(): Promise<void> {
    this.#ending.abort();
  }
}

/** A connection for one long response, such as the event stream. */
export class Client {
  readonly #origin: string;
  readonly #ending = new AbortController();

  constructor(origin: string) {
    this.#origin = origin;
  }

  async request({ signal: ended, ...request }: PoolRequest) {
    ended?.addEventListener('abort', () => this.#ending.abort(), { once: true });
    const response = await send(this.#origin, { ...request, signal: this.#ending.signal });
    if (response.ok) connection.value = 'live';
    const body = { text: () => response.text(), [Symbol.asyncIterator]: () => piecesOf(response) };
    return { statusCode: response.status, headers: Object.fromEntries(response.headers), body };
  }

  async destroy(): Promise<void> {
    connection.value = 'lost';
    this.#ending.abort();
  }
}

function send(origin: string, { method, path, headers, body = null, signal: ended }: PoolRequest): Promise<Response> {
  return fetch(origin + path, {
    ...{ method, headers, body, credentials: 'same-origin', cache: 'no-store' },
    ...(ended && { signal: ended }),
  });
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
