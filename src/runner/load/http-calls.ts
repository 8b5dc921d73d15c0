/**
 * Sends the requests of loads through undici's lowest level, without parsing responses: the less CPU a request costs, the more
 * requests the load generator can send.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { Client, type Dispatcher } from 'undici';
import { delayIn } from '../../client/http.js';
import { codeOf } from '../../kernel/no-answer.js';
import { type Millis, seconds } from '../../kernel/time.js';
import type { CallRequest } from '../../scenario/load/calls.js';

interface CallResult {
  /** HTTP status; 0 if there was no response. */
  readonly status: number;
  /** Code of the error, such as `ECONNREFUSED`; empty if there was a response. */
  readonly why: string;
  /** Body of the response; empty unless requested. */
  readonly body: string;
  /** `Retry-After` of the response; 0 without one. */
  readonly retryAfter: Millis;
}

export interface CallSender {
  /** @param wantsBody whether the result contains the body */
  send(request: CallRequest, wantsBody: boolean): Promise<CallResult>;
  close(): Promise<void>;
}

interface CallSenderOptions {
  readonly baseUrl: string;
  /** Secret. */
  readonly apiKey: string;
  /** Maximum number of concurrent requests. */
  readonly connections: number;
}

const TIMEOUT: Millis = seconds(30);

export function httpCalls({ baseUrl, apiKey, connections }: CallSenderOptions): CallSender {
  const { origin, pathname } = new URL(baseUrl);
  const prefix = pathname.replace(/\/+$/, '');
  const reading = ['accept', 'application/json', 'x-api-key', apiKey];
  const writing = [...reading, 'content-type', 'application/json'];
  // A connection never has more than one open request. Still, a limit of 2 saves a turn of the event loop after each response.
  const options = { pipelining: 2, headersTimeout: TIMEOUT, bodyTimeout: TIMEOUT };
  const clients: Client[] = [];
  const free: Client[] = [];
  const open = (): Client => {
    if (clients.length === connections) throw new RangeError(`more than ${connections} concurrent requests`);
    const client = new Client(origin, options);
    clients.push(client);
    return client;
  };
  return {
    send: ({ method, path, body }, wantsBody) =>
      new Promise((resolve) => {
        const client = free.pop() ?? open();
        const headers = body === undefined ? reading : writing;
        const done = (result: CallResult) => {
          free.push(client);
          resolve(result);
        };
        client.dispatch({ path: prefix + path, method, headers, body: body ?? null }, new Exchange(wantsBody, done));
      }),
    // Aborts open requests: the load has already counted them as open at the end.
    close: async () => {
      await Promise.all(clients.map((client) => client.destroy()));
    },
  };
}

/** Receives the response to one request. Its body is kept only if it is wanted. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #wantsBody: boolean;
  readonly #done: (result: CallResult) => void;
  readonly #parts: Buffer[] = [];
  #status = 0;
  #retryAfter: Millis = 0;

  constructor(wantsBody: boolean, done: (result: CallResult) => void) {
    this.#wantsBody = wantsBody;
    this.#done = done;
  }

  // undici recognises a handler of the current interface by this method.
  onRequestStart(): void {}

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#status = status;
    if (status >= 400) this.#retryAfter = delayIn(headers['retry-after']) ?? 0;
  }

  onResponseData(_: Dispatcher.DispatchController, part: Buffer): void {
    if (this.#wantsBody) this.#parts.push(part);
  }

  onResponseEnd(): void {
    const body = this.#wantsBody ? Buffer.concat(this.#parts).toString() : '';
    this.#done({ status: this.#status, why: '', body, retryAfter: this.#retryAfter });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#done({ status: 0, why: codeOf(error), body: '', retryAfter: 0 });
  }
}
