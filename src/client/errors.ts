/** What can go wrong between the client and the service. No message ever contains the API key. */
import { codeOf, reasonOf } from '../kernel/no-answer.js';
import type { Millis } from '../kernel/time.js';

/** The service answered, but not with what was asked for. */
export class ApiError extends Error {
  readonly status: number;
  /** The answer: the JSON value, or the text when it is none. */
  readonly body: unknown;
  readonly method: string;
  readonly path: string;
  /** When the service asks to come again; undefined when it does not say. */
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

/** There was no answer: nobody listens, the connection broke, or it took too long. */
export class ConnectionError extends Error {
  /** As Node or undici names it: `ECONNREFUSED`, `UND_ERR_HEADERS_TIMEOUT`, … */
  readonly code: string;
  readonly method: string;
  readonly path: string;

  constructor(cause: Error, origin: string, method: string, path: string) {
    super(`${method} ${path} got no answer from ${origin}: ${reasonOf(cause)}`, { cause });
    this.name = 'ConnectionError';
    this.code = codeOf(cause);
    this.method = method;
    this.path = path;
  }
}

function sentenceOf(body: unknown): string {
  if (typeof body === 'object' && body !== null && 'message' in body) return String(body.message);
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return text.length > 200 ? `${text.slice(0, 199)}…` : text;
}
