/** Devices over HTTP at a service that misbehaves. */
import { gzipSync } from 'node:zlib';
import { afterEach, expect, it } from 'vitest';
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
