/** The connections to an HTTP server that later requests use again. */
import { Client, type Dispatcher, Pool } from 'undici';
import { LONGEST_REUSE } from './connection-age.js';
import { isImmediateReplaced } from './real-timers.js';
import type { Millis } from './time.js';

interface HttpPoolOptions {
  /** Maximum number of connections. */
  readonly connections: number;
  /** Timeout in ms for a connection, a head, and each part of a body. */
  readonly timeout: Millis;
  /** Largest answer in bytes. */
  readonly largestAnswer: number;
}

/**
 * Most pieces of an answer: parts of its body as they arrive, chunks and interim responses. Each costs as much as a buffer and a
 * call, also one of a single byte. An answer of 64 MiB has 46,000 pieces if each packet arrives alone.
 */
export const MOST_PIECES = 100_000;

/** @param origin for example `http://127.0.0.1:8080` */
export function openHttpPool(origin: string, { connections, timeout, largestAnswer }: HttpPoolOptions): Dispatcher {
  const options = {
    headersTimeout: timeout,
    bodyTimeout: timeout,
    connect: { timeout },
    maxResponseSize: largestAnswer,
  };
  const pool = new Pool(origin, { ...options, connections, clientTtl: LONGEST_REUSE });
  return pool.compose((dispatch) => (request, handler) => {
    limitPieces(handler);
    if (!isImmediateReplaced()) return dispatch(request, handler);
    // The library waits for a global immediate callback before it uses a connection again. Simulated timers of a test runner
    // never call it, so each request has a connection of its own.
    return new Client(origin, options).dispatch({ ...request, reset: true }, handler);
  });
}

/** Overrides methods on the object: a wrapper would have to forward all other methods. */
function limitPieces(handler: Dispatcher.DispatchHandler): void {
  const begin = handler.onResponseStart?.bind(handler);
  const take = handler.onResponseData?.bind(handler);
  let pieces = 0;
  const count = (controller: Dispatcher.DispatchController) => {
    pieces++;
    if (pieces > MOST_PIECES) controller.abort(new Error(`the response has more than ${MOST_PIECES} pieces`));
  };
  handler.onResponseStart = (controller, ...head) => {
    count(controller);
    begin?.(controller, ...head);
  };
  handler.onResponseData = (controller, piece) => {
    count(controller);
    take?.(controller, piece);
  };
}
