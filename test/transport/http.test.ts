/** Devices over HTTP at a service that misbehaves. */
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
