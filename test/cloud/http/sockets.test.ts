/** When a request is over, on connections of clients that do not wait for answers. */
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { isFlood, whenOver } from '../../../src/cloud/http/sockets.js';
import { service } from '../api/service.js';

let server: Server | undefined;
afterEach(() => server?.close());

/** A connection with three requests that the client sends without waiting for answers. */
async function connected(listener: RequestListener): Promise<Socket> {
  server = createServer(listener);
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  // The cast is safe because a server that listens on a port has such an address.
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => {});
  client.resume().write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3));
  return client;
}

it('requests are over when the connection breaks, also those whose answers wait behind another one', async () => {
  let [begun, over] = [0, 0];
  const client = await connected((_, response) => {
    begun++;
    whenOver(response, () => over++);
  });
  await expect.poll(() => begun).toBe(3);
  expect(over).toBe(0);
  client.destroy();
  await expect.poll(() => over).toBe(3);
});

it('a request is over once when it was answered and the connection closes afterwards', async () => {
  let over = 0;
  const client = await connected((_, response) => {
    whenOver(response, () => over++);
    response.end();
  });
  await expect.poll(() => over).toBe(3);
  client.destroy();
  await new Promise((resolve) => server?.close(resolve));
  expect(over).toBe(3);
});

it('a client that leaves without waiting for answers takes no share of the limits with it', async () => {
  const { app } = await service();
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  for (let n = 0; n < 25; n++) {
    const client = connect(port, '127.0.0.1');
    client.on('error', () => {});
    const head = `GET /v2/spaces HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX-API-KEY: unknown\r\n\r\n`;
    await new Promise<void>((resolve) => client.write(head.repeat(100), () => resolve()));
    await new Promise<void>((resolve) => setTimeout(resolve, 1));
    client.destroy();
  }
  await expect.poll(async () => (await fetch(`http://127.0.0.1:${port}/v2/spaces`)).status).toBe(401);
  await app.close();
});

it('the connection of a client with more than 32 unanswered requests is closed, and its requests are over', async () => {
  let [begun, over] = [0, 0];
  const client = await connected((_, response) => {
    if (isFlood(response)) return;
    begun++;
    whenOver(response, () => over++);
  });
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(100));
  await expect.poll(() => client.closed).toBe(true);
  expect([begun, over]).toEqual([32, 32]);
});

it('the service, too, closes the connection of a client that does not wait for its answers', async () => {
  const { app } = await service();
  let begun = 0;
  app.addHook('preHandler', () => new Promise<void>(() => void begun++));
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const client = connect(port, '127.0.0.1');
  client.on('error', () => {});
  client.resume().write(`GET /v2/none HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`.repeat(100));
  await expect.poll(() => client.closed).toBe(true);
  expect(begun).toBeLessThanOrEqual(32);
  await app.close();
});
