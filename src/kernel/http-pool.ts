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
    if (!isImmediateReplaced()) return dispatch(request, handler);
    // The library waits for a global immediate callback before it uses a connection again. Simulated timers of a test runner
    // never call it, so each request has a connection of its own.
    return new Client(origin, options).dispatch({ ...request, reset: true }, handler);
  });
}
