/** An HTTP proxy in front of a service, which can alter requests and answers. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface Lies {
  /** The body that the service gets instead of `body`, which is JSON text. */
  readonly request?: (method: string, path: string, body: string) => string;
  /** The answer that the client gets instead of `answer`. */
  readonly answer?: (method: string, path: string, answer: unknown) => unknown;
  /** How often a request is sent to the service; if never, its answer is an empty object. Default: once. */
  readonly times?: (method: string, path: string, body: string) => number;
  /**
   * The rejection of a request by the proxy itself; undefined passes the request on. `nth`: number of requests with the same
   * method and path so far, with this one. Default: no request is rejected.
   */
  readonly rejects?: (
    method: string,
    path: string,
    nth: number,
  ) => { readonly status: number; readonly retryAfter: number } | undefined;
  /** Whether a request keeps its `Idempotency-Key`. Default: every request does. */
  readonly keepsKey?: (method: string, path: string) => boolean;
}

export interface LyingProxy {
  /** Address of the proxy, such as `http://127.0.0.1:40000`. */
  readonly url: string;
  close(): Promise<void>;
}

/** @param service address of the service */
export async function lyingProxy(
  service: string,
  {
    request: change = (_m, _p, body) => body,
    answer = (_m, _p, body) => body,
    times = () => 1,
    keepsKey = () => true,
    rejects = () => undefined,
  }: Lies,
): Promise<LyingProxy> {
  const counts = new Map<string, number>();
  const server = createServer(async (request, response) => {
    const { method = 'GET', url = '/' } = request;
    const sent = change(method, url, await text(request));
    const nth = (counts.get(`${method} ${url}`) ?? 0) + 1;
    counts.set(`${method} ${url}`, nth);
    const rejection = rejects(method, url, nth);
    if (rejection !== undefined) {
      response.writeHead(rejection.status, { 'retry-after': String(rejection.retryAfter) }).end('{}');
      return;
    }
    const headers = new Headers();
    for (const name of ['x-api-key', 'content-type', 'authorization', 'idempotency-key']) {
      const value = request.headers[name];
      const passes = name !== 'idempotency-key' || keepsKey(method, url);
      if (passes && typeof value === 'string') headers.set(name, value);
    }
    let status = 200;
    let got = '{}';
    for (let count = times(method, url, sent); count > 0; count--) {
      const reply = await fetch(service + url, { method, headers, ...(sent !== '' && { body: sent }) });
      status = reply.status;
      got = await reply.text();
    }
    const shown = got === '' ? '' : JSON.stringify(answer(method, url, JSON.parse(got)));
    response.writeHead(status, { 'content-type': 'application/json' }).end(shown);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The cast is safe because a server that listens on a port has such an address.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
