/** JSON over HTTP to one origin, through one pool of connections that are kept alive. */
import { Pool } from 'undici';
import { UsageError } from '../kernel/errors.js';
import { type Millis, seconds } from '../kernel/time.js';
import { ApiError, ConnectionError } from './errors.js';

/** Largest answer that is read, in bytes: a full page of full messages is far smaller. */
const LARGEST_ANSWER = 64 * 1_048_576;

export interface HttpOptions {
  /** Where the service is, such as `http://127.0.0.1:8080`. A path is put before all others. */
  readonly baseUrl: string;
  readonly apiKey?: string;
  /** Connections at most. Default 16. */
  readonly connections?: number;
  /** Real time to wait for a connection, for the head of an answer, and for each further part of it. Default 30 s. */
  readonly timeout?: Millis;
  /** Every request goes through it: for those who want fewer at once, or later. */
  readonly gate?: Gate;
}

/** Carries a request out, now or later, once or again. */
export type Gate = <T>(request: () => Promise<T>) => Promise<T>;

/** A value of a query string; what is undefined is left out, a list is repeated as `name[]=`. */
export type Query = Readonly<Record<string, string | number | readonly string[] | undefined>>;

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

const atOnce: Gate = (request) => request();

export class JsonHttp {
  readonly #options: HttpOptions;
  readonly #pool: Pool;
  readonly #origin: string;
  readonly #prefix: string;
  readonly #apiKey: string | undefined;
  readonly #gate: Gate;

  /**
   * @param pool the connections to use; left out: its own
   * @throws UsageError when the address or the key cannot be one
   */
  constructor(options: HttpOptions, pool?: Pool) {
    const { baseUrl, apiKey, connections = 16, timeout = seconds(30), gate = atOnce } = options;
    if (!URL.canParse(baseUrl) || !/^https?:$/.test(new URL(baseUrl).protocol)) {
      throw new UsageError('bad-url', `"${baseUrl}" is not an address such as "http://127.0.0.1:8080"`);
    }
    if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey)) {
      throw new UsageError('bad-api-key', 'the API key is not a word of visible ASCII characters');
    }
    const url = new URL(baseUrl);
    this.#options = options;
    this.#origin = url.origin;
    this.#prefix = url.pathname.replace(/\/+$/, '');
    this.#apiKey = apiKey;
    this.#gate = gate;
    this.#pool =
      pool ??
      new Pool(url.origin, {
        connections,
        headersTimeout: timeout,
        bodyTimeout: timeout,
        connect: { timeout },
        maxResponseSize: LARGEST_ANSWER,
      });
  }

  /** The same over the same connections, through another gate. */
  through(gate: Gate): JsonHttp {
    return new JsonHttp({ ...this.#options, gate }, this.#pool);
  }

  /**
   * Sends a request and reads the JSON of its answer; undefined when that is empty.
   * @throws ApiError when the status is not 2xx or the answer is no JSON
   * @throws ConnectionError when there is no answer
   */
  request(method: Method, path: string, query: Query = {}, body?: unknown): Promise<unknown> {
    return this.#gate(() => this.#request(method, path, query, body));
  }

  async #request(method: Method, path: string, query: Query, body: unknown): Promise<unknown> {
    const { status, text, retryAfter } = await this.#exchange(
      method,
      path,
      this.#prefix + path + queryText(query),
      body,
    );
    if (status < 200 || status > 299) {
      // A server could repeat the key that it refuses.
      const answer = this.#apiKey === undefined ? text : text.replaceAll(this.#apiKey, '***');
      throw new ApiError(status, parseJson(answer) ?? answer, method, path, retryAfter);
    }
    if (text === '') return undefined;
    const value = parseJson(text);
    if (value === undefined) throw new ApiError(status, 'the answer is not JSON', method, path);
    return value;
  }

  /** Lets the requests under way finish, then ends the connections. */
  close(): Promise<void> {
    return this.#pool.close();
  }

  async #exchange(method: Method, path: string, target: string, body: unknown) {
    const headers: Record<string, string> = { accept: 'application/json' };
    if (this.#apiKey !== undefined) headers['x-api-key'] = this.#apiKey;
    if (body !== undefined) headers['content-type'] = 'application/json';
    try {
      const answer = await this.#pool.request({
        method,
        path: target,
        headers,
        body: body === undefined ? null : JSON.stringify(body),
      });
      const retryAfter = delayIn(answer.headers['retry-after']);
      return { status: answer.statusCode, text: await answer.body.text(), retryAfter };
    } catch (error) {
      throw new ConnectionError(error instanceof Error ? error : new Error(String(error)), this.#origin, method, path);
    }
  }
}

/** Of the two forms of Retry-After only the seconds: a date would need a common clock. */
export function delayIn(header: string | string[] | undefined): Millis | undefined {
  return typeof header === 'string' && /^\d{1,6}$/.test(header) ? seconds(Number(header)) : undefined;
}

function queryText(query: Query): string {
  const parts = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (typeof value === 'object') for (const item of value) parts.append(`${name}[]`, item);
    else if (value !== undefined) parts.append(name, String(value));
  }
  const text = parts.toString();
  return text === '' ? '' : `?${text}`;
}

/** Undefined when the text is no JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
