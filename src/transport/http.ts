/**
 * A transport over HTTP: sends each datagram of a device as an HTTP request and returns the response as a datagram
 * (protocol/http/frames.ts). A failed request gives no response, so the device repeats it.
 */

import type { EdgeClock } from '../kernel/clock.js';
import { compressedBecause } from '../kernel/content-coding.js';
import { within } from '../kernel/deadline.js';
import { isError, UsageError } from '../kernel/errors.js';
import { openHttpPool } from '../kernel/http-pool.js';
import { RealClock } from '../kernel/real-clock.js';
import { REQUEST_HEADERS } from '../kernel/request-headers.js';
import { type Millis, seconds } from '../kernel/time.js';
import { apiBase, IN_PASSWORDS, shownAddress } from '../kernel/web-address.js';
import { datagramBytes } from '../protocol/flap/envelope.js';
import { decodeRequest, encodeResponse } from '../protocol/http/frames.js';
import type { Failed, Transport } from './transport.js';

/** A POST request. */
interface HttpRequest {
  /** `/v2/device/2159017985/uplink` */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
}

/** Sends a request; resolves with the response, whatever its status. */
type SendRequest = (request: HttpRequest) => Promise<{ readonly status: number; readonly body: string }>;

/**
 * @param clock simulated time is stopped while a request is open
 * @param failed called for each request that got no answer
 */
export function httpTransport(
  send: SendRequest,
  clock: Pick<EdgeClock, 'hold'>,
  close: () => Promise<void> = async () => {},
  failed: Failed = () => {},
): Transport {
  let isClosed = false;
  return {
    connect: (serial, receiver) => ({
      send: (frame) => {
        const { kind, key, token, body } = decodeRequest(datagramBytes(frame));
        const request: HttpRequest = {
          path: `/v2/device/${serial}/${kind}`,
          headers: { authorization: `Claim ${token}`, 'content-type': 'application/json', 'idempotency-key': key },
          body,
        };
        const release = clock.hold('a request of a device');
        send(request)
          .then(
            (answer) => receiver.receive(encodeResponse({ key, ...answer })),
            (error: unknown) => {
              if (isError(error) && !isClosed) failed('request', error);
            },
          )
          .finally(release);
      },
      // The pool manages the connections.
      reopen: () => {},
    }),
    close: () => {
      isClosed = true;
      return close();
    },
  };
}

/** Maximum number of connections that a whole fleet shares. */
const CONNECTIONS = 64;
/** Longer than the time that any device waits for a response. */
const TIMEOUT = seconds(30);
/** Bytes. */
const LARGEST_ANSWER = 1_048_576;

/**
 * Real HTTP to one service, such as `http://127.0.0.1:8080`.
 * @param timeout longest time of a request with its whole answer. Default: 30 s
 * @throws UsageError for an invalid address
 */
export function pooledRequests(
  baseUrl: string,
  timeout: Millis = TIMEOUT,
): { readonly send: SendRequest; close(): Promise<void> } {
  const base = apiBase(baseUrl);
  if (base === undefined) {
    throw new UsageError(
      'bad-url',
      `"${shownAddress(baseUrl)}" is not a URL such as "http://127.0.0.1:8080"`,
      baseUrl.includes('@') ? IN_PASSWORDS : undefined,
    );
  }
  const { origin, prefix, headers: credentials } = base;
  if (credentials.authorization !== undefined) {
    const message = `a device over HTTP cannot send the password in "${shownAddress(baseUrl)}"`;
    throw new UsageError('bad-url', message, 'its claim token needs the header Authorization; use UDP instead');
  }
  const pool = openHttpPool(origin, { connections: CONNECTIONS, timeout, largestAnswer: LARGEST_ANSWER });
  const limit = { clock: new RealClock(), limit: timeout, what: 'the answer' };
  return {
    // The timeouts of the pool begin again with each part of an answer.
    send: ({ path, headers, body }) =>
      within(limit, async (signal) => {
        const request = {
          method: 'POST',
          path: prefix + path,
          headers: { ...REQUEST_HEADERS, ...headers },
          body,
          signal,
        } as const;
        const answer = await pool.request(request);
        const text = await answer.body.text();
        const compressed = compressedBecause(answer.headers);
        if (compressed !== undefined && text !== '' && !isJson(text)) throw new UnreadableAnswer(compressed);
        return { status: answer.statusCode, body: text };
      }),
    // Aborts open requests: their results are not needed.
    close: () => pool.destroy(),
  };
}

/** A transport over real HTTP to one service. @throws UsageError for an invalid address */
export function openHttp(baseUrl: string, clock: Pick<EdgeClock, 'hold'>, failed: Failed): Transport {
  const requests = pooledRequests(baseUrl);
  return httpTransport(requests.send, clock, () => requests.close(), failed);
}

/** The device does not get this answer, so it repeats its request. */
class UnreadableAnswer extends Error {
  readonly code = 'CONTENT_ENCODING';
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
