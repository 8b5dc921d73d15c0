/**
 * Sends the requests of loads. A pool of connections is driven at undici's lowest level, and answers are not parsed: what the
 * generator saves, it can send.
 */
import { Pool } from 'undici';
import { type Millis, seconds } from '../../kernel/time.js';
import type { CallRequest } from '../../scenario/load/calls.js';

export interface Outcome {
  /** 0 when there was no answer. */
  readonly status: number;
  /** Why there was none: a code such as `ECONNREFUSED`; empty otherwise. */
  readonly why: string;
  /** The text of the answer; empty unless it was asked for. */
  readonly body: string;
}

export interface CallSender {
  /** @param wantsBody whether the text of the answer is of interest */
  send(request: CallRequest, wantsBody: boolean): Promise<Outcome>;
  close(): Promise<void>;
}

export interface CallSenderOptions {
  readonly baseUrl: string;
  /** Secret. */
  readonly apiKey: string;
  readonly connections: number;
}

const TIMEOUT: Millis = seconds(30);

export function httpCalls({ baseUrl, apiKey, connections }: CallSenderOptions): CallSender {
  const { origin, pathname } = new URL(baseUrl);
  const prefix = pathname.replace(/\/+$/, '');
  const pool = new Pool(origin, { connections, pipelining: 1, headersTimeout: TIMEOUT, bodyTimeout: TIMEOUT });
  const reading = ['accept', 'application/json', 'x-api-key', apiKey];
  const writing = [...reading, 'content-type', 'application/json'];
  return {
    send: ({ method, path, body }, wantsBody) =>
      new Promise((resolve) => {
        let status = 0;
        const parts: Buffer[] = [];
        pool.dispatch(
          { path: prefix + path, method, headers: body === undefined ? reading : writing, body: body ?? null },
          {
            onRequestStart: () => {},
            onResponseStart: (_controller, statusCode) => {
              status = statusCode;
            },
            onResponseData: (_controller, chunk) => {
              if (wantsBody) parts.push(chunk);
            },
            onResponseEnd: () => resolve({ status, why: '', body: Buffer.concat(parts).toString() }),
            onResponseError: (_controller, error) => resolve({ status: 0, why: codeOf(error), body: '' }),
          },
        );
      }),
    // What is still under way is counted as such, and of no use to anybody.
    close: () => pool.destroy(),
  };
}

function codeOf(error: Error): string {
  return 'code' in error ? String(error.code) : error.name;
}
