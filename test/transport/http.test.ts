/** Devices over HTTP at a service that misbehaves. */
import { gzipSync } from 'node:zlib';
import { afterEach, expect, it, vi } from 'vitest';
import { JsonHttp } from '../../src/client/http.js';
import { endOfTurn } from '../../src/kernel/real-timers.js';
import { pooledRequests } from '../../src/transport/http.js';
import { closeAll, closeLater, failure, listening } from '../client/services.js';

afterEach(closeAll);

it('a request of a device ends although parts of its answer keep arriving just in time', async () => {
  const drip = await listening((_, response) => {
    const more = setInterval(() => response.write(' '), 10);
    response.on('close', () => clearInterval(more));
  });
  const requests = pooledRequests(drip, 100);
  closeLater(() => requests.close());
  const request = { path: '/v2/device/1/data', headers: {}, body: '{}' };
  expect((await failure(requests.send(request))).message).toBe('the answer was not complete after 100ms');
});

it('a device over HTTP asks for answers without compression, and a compressed one fails with its coding', async () => {
  const asked: (string | undefined)[] = [];
  const zipped = await listening((request, response) => {
    asked.push(request.headers['accept-encoding']);
    response.writeHead(200, { 'content-encoding': 'gzip' });
    response.end(gzipSync('{}'));
  });
  const requests = pooledRequests(zipped);
  closeLater(() => requests.close());
  const error = await failure(requests.send({ path: '/v2/device/1/data', headers: {}, body: '{}' }));
  expect(error.message).toContain('the answer is compressed (Content-Encoding: gzip)');
  expect(asked).toEqual(['identity']);
});

it.each<[string, (url: string) => { readonly send: () => Promise<unknown>; close(): Promise<void> }]>([
  [
    'devices over HTTP',
    (url) => {
      const { send, close } = pooledRequests(url);
      return { send: () => send({ path: '/v2/device/1/data', headers: {}, body: '{}' }), close };
    },
  ],
  [
    'the client of the API',
    (url) => {
      const http = new JsonHttp({ baseUrl: url });
      return { send: () => http.request('GET', '/v2/spaces'), close: () => http.close() };
    },
  ],
])('%s use a connection again for a minute, and then open a new one', async (_, opening) => {
  const ports: (number | undefined)[] = [];
  const url = await listening((request, response) => {
    ports.push(request.socket.remotePort);
    response.setHeader('content-type', 'application/json');
    response.end('[]');
  });
  const { send, close } = opening(url);
  closeLater(close);
  const now = vi.spyOn(Date, 'now');
  const start = Date.now();
  // An idle connection is closed after 4 s, so each step is shorter.
  for (let after = 0; after <= 66_000; after += 3000) {
    now.mockReturnValue(start + after);
    await send();
    await endOfTurn();
  }
  now.mockRestore();
  expect(ports.indexOf(ports.at(-1))).toBe(21);
  expect(new Set(ports).size).toBe(2);
});
