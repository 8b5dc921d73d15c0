/** JSON over HTTP to one origin, through one pool of keep-alive connections. */
import { Client, type Dispatcher } from 'undici';
import { faultOfKey } from '../kernel/api-key.js';
import { compressedBecause } from '../kernel/content-coding.js';
import { within } from '../kernel/deadline.js';
import { asError, messageOf, UsageError } from '../kernel/errors.js';
import { openHttpPool } from '../kernel/http-pool.js';
import { DEPTH_LIMIT } from '../kernel/json-size.js';
import { foreignJson, isObject, NOT_UNICODE } from '../kernel/json-text.js';
import { hideSecrets } from '../kernel/known-secrets.js';
import { RealClock } from '../kernel/real-clock.js';
import { REQUEST_HEADERS } from '../kernel/request-headers.js';
import { retryAfter } from '../kernel/retry-after.js';
import { type Millis, seconds } from '../kernel/time.js';
import { apiBase, IN_PASSWORDS, secretsInBasic, shownAddress } from '../kernel/web-address.js';
import { ApiError, ConnectionError } from './errors.js';

/** Largest answer, in bytes. The largest page of messages is far smaller. */
export const LARGEST_ANSWER = 64 * 1_048_576;
/** Most levels of an answer: those of the body of a message, and a list around the message. */
const DEEPEST_ANSWER = DEPTH_LIMIT + 8;
/** How many times the timeout a whole answer may take. Without this limit, one whose parts come just in time never ends. */
const WHOLE_ANSWER = 4;
/** Longest text of an error that is read, in characters. */
const LARGEST_ERROR = 65_536;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Longest silence of a stream: three heartbeats of the service. */
const LONGEST_SILENCE = seconds(45);

export interface HttpOptions {
  /** Address of the service. Its path is the prefix of all paths; `/v2` at the end is ignored; a user and password are sent. */
  readonly baseUrl: string;
  /** API key or token. Default: requests are sent without a credential. */
  readonly apiKey?: string;
  /** Maximum number of connections. Default 16. */
  readonly connections?: number;
  /** Timeout in ms for a connection, a head, and each part of a body; a whole answer may take four times it. Default 30 s. */
  readonly timeout?: Millis;
  /** Wraps every request, for example to limit concurrent requests or to retry. Default: requests are sent immediately. */
  readonly gate?: Gate;
  /** Further texts that an answer may repeat and no error shows. Default: none besides the API key and the password. */
  readonly secrets?: readonly string[];
  /** Called when a request is sent; returns a function for the `Date` header of the response. Default: ignored. */
  readonly dated?: () => (date: string) => void;
}

/**
 * Runs a request: immediately or later, once or repeatedly. Returns the result of the request. A signal that the gate passes ends
 * the request.
 */
export type Gate = <T>(request: (signal?: AbortSignal) => Promise<T>) => Promise<T>;

/** Parameters of a query string. Undefined values are left out; a list is sent as repeated `name[]=`. */
export type Query = Readonly<Record<string, string | number | readonly string[] | undefined>>;

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

const atOnce: Gate = (request) => request();

export class JsonHttp {
  readonly #options: HttpOptions;
  readonly #pool: Dispatcher;
  readonly #origin: string;
  readonly #prefix: string;
  /** Texts of others may contain them. */
  readonly #secrets: readonly string[];
  /** Credentials. */
  readonly #headers: Readonly<Record<string, string>>;
  readonly #gate: Gate;
  readonly #clock = new RealClock();
  /** Shared with the copies, as the connections are. */
  readonly #end: { done?: Promise<void> };

  /**
   * @param other whose connections are used; default: new ones
   * @throws UsageError `bad-url` if the address is not valid, `bad-api-key` if the key is not valid
   */
  constructor(options: HttpOptions, other?: JsonHttp) {
    const { baseUrl, apiKey, connections = 16, timeout = seconds(30), gate = atOnce, secrets = [] } = options;
    if (typeof baseUrl !== 'string') {
      throw new UsageError('bad-url', 'the option "baseUrl" is missing: an address such as "http://127.0.0.1:8080"');
    }
    const base = apiBase(baseUrl);
    if (base === undefined) {
      throw new UsageError(
        'bad-url',
        `"${shownAddress(baseUrl)}" is not an address such as "http://127.0.0.1:8080"`,
        baseUrl.includes('@') ? IN_PASSWORDS : undefined,
      );
    }
    const fault = apiKey === undefined ? undefined : faultOfKey(apiKey);
    if (fault !== undefined) throw new UsageError('bad-api-key', `the API key ${fault}`);
    this.#options = options;
    this.#origin = base.origin;
    this.#prefix = base.prefix;
    this.#headers = { ...base.headers, ...(apiKey !== undefined && { 'x-api-key': apiKey }) };
    this.#secrets = [apiKey ?? '', ...secretsInBasic(base.headers.authorization ?? ''), ...secrets];
    this.#gate = gate;
    this.#end = other ? other.#end : {};
    this.#pool = other
      ? other.#pool
      : openHttpPool(base.origin, { connections, timeout, largestAnswer: LARGEST_ANSWER });
  }

  /** A copy with the same connections and another gate. */
  through(gate: Gate): JsonHttp {
    return new JsonHttp({ ...this.#options, gate }, this);
  }

  /**
   * Sends a request and returns the JSON value of the answer; undefined if its body is empty.
   * @param further further headers
   * @throws UsageError `empty-id` if an id in the path is empty, "." or "..", so that the path names a list or another resource;
   * `empty-parameter` if a parameter of the query is an empty text or list, `bad-parameter` if it is none of the types of
   * {@link Query}, such as a `Date`; `invalid-unicode` if it is not valid Unicode; `bad-body` if JSON cannot hold the body
   * @throws ApiError if the status is not 2xx or the body is not JSON
   * @throws ConnectionError if no response arrives
   */
  async request(
    method: Method,
    path: string,
    query: Query = {},
    body?: unknown,
    further: Readonly<Record<string, string>> = {},
  ): Promise<unknown> {
    checkPath(path);
    const target = this.#prefix + path + queryText(query);
    const sent = body === undefined ? undefined : jsonText(body);
    return (await this.#gate((signal) => this.#request(method, path, target, sent, further, signal))).value;
  }

  /** Reads a page of a list, like {@link request}. `next` is the offset of the next page, if the service says it. */
  async page(path: string, query: Query): Promise<{ readonly value: unknown; readonly next: string | undefined }> {
    checkPath(path);
    const target = this.#prefix + path + queryText(query);
    return this.#gate((signal) => this.#request('GET', path, target, undefined, {}, signal));
  }

  async #request(
    method: Method,
    path: string,
    target: string,
    body: string | undefined,
    further: Readonly<Record<string, string>>,
    ended: AbortSignal | undefined,
  ): Promise<{ readonly value: unknown; readonly next: string | undefined }> {
    const { status, text, next, wait, compressed, location } = await this.#exchange(
      method,
      path,
      target,
      body,
      further,
      ended,
    );
    const elsewhere = this.#redirect(status, location, target);
    if (elsewhere !== undefined) throw new ApiError(status, elsewhere, method, path);
    if (status < 200 || status > 299) {
      throw new ApiError(status, this.#shown(readError(text, compressed)), method, path, wait);
    }
    if (text === '') return { value: undefined, next };
    const value = answerIn(text);
    if (value === undefined) throw new ApiError(status, compressed ?? 'the answer is not JSON', method, path);
    return { value, next };
  }

  /**
   * Sends a GET request whose answer is a stream, over a connection of its own, and yields the text of the answer.
   * @throws ApiError if the status is not 200
   * @throws ConnectionError if no response arrives, or the connection breaks
   */
  async *stream(
    path: string,
    query: Query,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): AsyncGenerator<string> {
    const { timeout = seconds(30) } = this.#options;
    const limits = { headersTimeout: timeout, connect: { timeout }, bodyTimeout: LONGEST_SILENCE };
    const connection = new Client(this.#origin, limits);
    try {
      const answer = await connection.request({
        method: 'GET',
        path: this.#prefix + path + queryText(query),
        headers: { ...REQUEST_HEADERS, ...this.#headers, ...headers },
        signal,
      });
      if (answer.statusCode !== 200) {
        const limit = { clock: this.#clock, limit: timeout, what: 'the answer' };
        const elsewhere = this.#redirect(answer.statusCode, answer.headers.location, path);
        if (elsewhere !== undefined) throw new ApiError(answer.statusCode, elsewhere, 'GET', path);
        throw await within(limit, (late) => this.#failure(answer, path, late));
      }
      const compressed = compressedBecause(answer.headers);
      if (compressed !== undefined) throw new ApiError(answer.statusCode, compressed, 'GET', path);
      const decoder = new TextDecoder();
      for await (const piece of answer.body) yield decoder.decode(piece, { stream: true });
    } catch (error) {
      if (error instanceof ApiError) throw error;
      throw new ConnectionError(asError(error), this.#origin, 'GET', path);
    } finally {
      await connection.destroy();
    }
  }

  /** Waits for running requests, then closes the connections, also those of copies. Further calls have no effect. */
  close(): Promise<void> {
    this.#end.done ??= this.#pool.close();
    return this.#end.done;
  }

  /** The error of a request for a stream. Its connection has no limit of size, so only the beginning of the answer is read. */
  async #failure(
    { statusCode, headers, body }: Dispatcher.ResponseData,
    path: string,
    late: AbortSignal,
  ): Promise<ApiError> {
    late.addEventListener('abort', () => body.destroy());
    let text = '';
    for await (const piece of body) {
      text += piece;
      if (text.length > LARGEST_ERROR) break;
    }
    const answer = this.#shown(readError(text, compressedBecause(headers)));
    return new ApiError(statusCode, answer, 'GET', path, retryAfter(headers));
  }

  /** Redirects are not followed, because the key must not reach another server. Undefined if the answer is none. */
  #redirect(status: number, location: unknown, target: string): string | undefined {
    if (!REDIRECTS.has(status)) return undefined;
    const base = this.#origin + target;
    const to = typeof location === 'string' && URL.canParse(location, base) ? new URL(location, base) : undefined;
    if (to === undefined) return 'a redirect without a valid Location was not followed';
    const shown = this.#shown(`${to.origin === 'null' ? to.protocol : to.origin}${to.pathname}`);
    return `a redirect to "${shown}" was not followed, and the API key was not sent there; if the service is there, use its address`;
  }

  /** A text or JSON value without the credentials, because the answer of a foreign server could repeat them. */
  #shown(value: unknown): unknown {
    if (typeof value === 'string') return hideSecrets(value, this.#secrets, '***');
    if (Array.isArray(value)) return value.map((item) => this.#shown(item));
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [this.#shown(name), this.#shown(item)]));
  }

  async #exchange(
    method: Method,
    path: string,
    target: string,
    body: string | undefined,
    further: Readonly<Record<string, string>>,
    ended: AbortSignal | undefined,
  ) {
    const headers: Record<string, string> = {
      accept: 'application/json',
      ...REQUEST_HEADERS,
      ...this.#headers,
      ...further,
    };
    if (body !== undefined) headers['content-type'] = 'application/json';
    const dated = this.#options.dated?.();
    const { timeout = seconds(30) } = this.#options;
    let begun = false;
    try {
      const limit = { clock: this.#clock, limit: WHOLE_ANSWER * timeout, what: 'the answer', signal: ended };
      return await within(limit, async (signal) => {
        const answer = await this.#pool.request({ method, path: target, headers, body: body ?? null, signal });
        const { headers: head, statusCode: status } = answer;
        begun = true;
        if (typeof head.date === 'string') dated?.(head.date);
        const next = head['x-next-offset'];
        const text = await answer.body.text();
        const compressed = compressedBecause(head);
        return {
          status,
          text,
          next: typeof next === 'string' ? next : undefined,
          wait: retryAfter(head),
          compressed,
          location: head.location,
        };
      });
    } catch (error) {
      throw new ConnectionError(asError(error), this.#origin, method, path, begun);
    }
  }
}

/** Servers and proxies leave "." out of a path, and go up for "..", some of them also where these signs are encoded. */
function checkPath(path: string): void {
  const isStep = (part: string) => part === '' || part === '.' || part === '..';
  const [, ...parts] = path.split('/');
  const part = parts.find((each) => decoded(each).split(/[/\\]/).some(isStep));
  if (part === undefined) return;
  throw new UsageError('empty-id', `"${part}" in "${path}" is not the id of a resource`);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** An id as part of a path. @throws UsageError `empty-id` if it is not a text; `invalid-unicode` if it is not valid Unicode */
export function pathPart(id: string): string {
  if (typeof id !== 'string') throw new UsageError('empty-id', `${String(id)} is not the id of a resource`);
  needUnicode(id, 'the id');
  return encodeURIComponent(id);
}

/** An address would contain another text. The service checks the texts of bodies. */
function needUnicode(text: string, what: string): void {
  if (!text.isWellFormed()) throw new UsageError('invalid-unicode', `${what} ${NOT_UNICODE}`);
}

/** The rule of the service: an empty filter is neither "nothing" nor "everything", but a mistake of the caller. */
function queryText(query: Query): string {
  const parts = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    const values = Array.isArray(value) ? value : [value];
    if (values.some((each) => typeof each === 'object')) {
      throw new UsageError('bad-parameter', `"${name}" of the query is not a text, a number, or a list of texts`);
    }
    if (values.length === 0 || values.includes('')) {
      throw new UsageError('empty-parameter', `"${name}" of the query is empty; give it a value or leave it out`);
    }
    for (const text of values) needUnicode(String(text), `"${name}" of the query`);
    if (Array.isArray(value)) for (const item of value) parts.append(`${name}[]`, item);
    else if (value !== undefined) parts.append(name, String(value));
  }
  const text = parts.toString();
  return text === '' ? '' : `?${text}`;
}

/** A body as JSON. @throws UsageError `bad-body` for what JSON would drop or cannot hold: NaN, infinity, bigint, a circle */
function jsonText(body: unknown): string {
  const checked = (key: string, value: unknown) => {
    if (typeof value !== 'number' || Number.isFinite(value)) return value;
    throw new UsageError('bad-body', `"${key}" of the body is ${value}, which JSON cannot hold`);
  };
  try {
    return JSON.stringify(body, checked);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError('bad-body', `the body cannot be JSON: ${messageOf(error).split('\n', 1)[0]}`);
  }
}

/** What an answer that is an error says: a JSON value, or a text. The end of a long one is cut off. */
function readError(text: string, compressed: string | undefined): unknown {
  const beginning = text.length > LARGEST_ERROR ? `${text.slice(0, LARGEST_ERROR)}…` : text;
  return answerIn(beginning) ?? compressed ?? beginning;
}

/** The JSON value of an answer or of an event; undefined if it is not JSON, or nested too deep. */
export function answerIn(text: string): unknown {
  return foreignJson(text, DEEPEST_ANSWER);
}
