/**
 * Requests of devices over HTTP, in the form of a transport: a frame goes in, a real request goes out, its answer comes back
 * as a frame. A request that fails is silence to the device, which repeats it.
 */
import { Pool } from 'undici';
import type { EdgeClock } from '../kernel/clock.js';
import { UsageError } from '../kernel/errors.js';
import { seconds } from '../kernel/time.js';
import { decodeRequest, encodeResponse } from '../protocol/http/frames.js';
import type { Transport } from './transport.js';

/** A POST request. */
interface HttpRequest {
  /** `/v2/device/2159017985/uplink` */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
}

/** Sends a request; resolves with what was answered, whatever its status. */
type SendRequest = (request: HttpRequest) => Promise<{ readonly status: number; readonly body: string }>;

/** @param clock stands still while a request is under way */
export function httpTransport(
  send: SendRequest,
  clock: Pick<EdgeClock, 'hold'>,
  close: () => Promise<void> = async () => {},
): Transport {
  return {
    connect: (serial, receiver) => ({
      send: (frame) => {
        const { kind, key, token, body } = decodeRequest(frame);
        const request: HttpRequest = {
          path: `/v2/device/${serial}/${kind}`,
          headers: { authorization: `Claim ${token}`, 'content-type': 'application/json', 'idempotency-key': key },
          body,
        };
        const release = clock.hold('a request of a device');
        send(request)
          .then(
            (answer) => receiver.receive(encodeResponse({ key, ...answer })),
            // No service there, or it went away: the device hears nothing.
            () => {},
          )
          .finally(release);
      },
      // Connections are the pool's.
      reopen: () => {},
    }),
    close,
  };
}

/** Connections that a whole fleet shares. */
const CONNECTIONS = 64;
/** Longer than any device listens. */
const TIMEOUT = seconds(30);
const LARGEST_ANSWER = 1_048_576;

/**
 * Real HTTP to one service, such as `http://127.0.0.1:8080`.
 * @throws UsageError when the address cannot be one
 */
export function pooledRequests(baseUrl: string): { readonly send: SendRequest; close(): Promise<void> } {
  if (!URL.canParse(baseUrl) || !/^https?:$/.test(new URL(baseUrl).protocol)) {
    throw new UsageError('bad-url', `"${baseUrl}" is not an address such as "http://127.0.0.1:8080"`);
  }
  const { origin, pathname } = new URL(baseUrl);
  const prefix = pathname.replace(/\/+$/, '');
  const pool = new Pool(origin, {
    connections: CONNECTIONS,
    headersTimeout: TIMEOUT,
    bodyTimeout: TIMEOUT,
    connect: { timeout: TIMEOUT },
    maxResponseSize: LARGEST_ANSWER,
  });
  return {
    send: async ({ path, headers, body }) => {
      const answer = await pool.request({ method: 'POST', path: prefix + path, headers: { ...headers }, body });
      return { status: answer.statusCode, body: await answer.body.text() };
    },
    // What is still under way is of no use to anybody.
    close: () => pool.destroy(),
  };
}
