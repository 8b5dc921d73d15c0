/** Errors of the client. No message contains the API key. */

import { printableLine } from '../kernel/printable.js';
import { codeOf, isOfThisMachine, reasonOf } from '../kernel/system-errors.js';
import type { Millis } from '../kernel/time.js';

/** Longest text of a service in a message, in characters. */
const LONGEST = 1000;

/** The service answered with a status other than 2xx, or with a body that the client cannot use. */
export class ApiError extends Error {
  /** HTTP status. */
  readonly status: number;
  /** Body of the answer: the JSON value, or the text if it is not JSON. */
  readonly body: unknown;
  readonly method: string;
  readonly path: string;
  /** Milliseconds after which to retry, from `Retry-After`; undefined without this header. */
  readonly retryAfter: Millis | undefined;

  constructor(status: number, body: unknown, method: string, path: string, retryAfter?: Millis) {
    super(`${method} ${path} was answered with ${status}: ${sentenceOf(body)}`);
    this.name = 'ApiError';
    this.status = status;
    this.body = body;
    this.method = method;
    this.path = path;
    this.retryAfter = retryAfter;
  }
}

/** No complete response arrived: the connection was refused or broke, or the request timed out. */
export class ConnectionError extends Error {
  /** Error code of Node or undici, such as `ECONNREFUSED` or `UND_ERR_HEADERS_TIMEOUT`. */
  readonly code: string;
  declare readonly cause: Error;
  readonly method: string;
  readonly path: string;

  /** @param begun whether a part of the answer arrived */
  constructor(cause: Error, origin: string, method: string, path: string, begun = false) {
    super(
      `${method} ${path} got ${begun ? 'only a part of an answer' : 'no answer'} from ${origin}: ${reasonOf(cause)}`,
      { cause },
    );
    this.name = 'ConnectionError';
    this.code = codeOf(cause);
    this.method = method;
    this.path = path;
  }
}

/** Whether this machine could not send a request. */
export function isMachineFailure(error: unknown): error is ConnectionError {
  return error instanceof ConnectionError && isOfThisMachine(error.code);
}

function sentenceOf(body: unknown): string {
  const message = typeof body === 'object' && body !== null && 'message' in body ? body.message : body;
  const text = printableLine(typeof message === 'string' ? message : JSON.stringify(message));
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}
