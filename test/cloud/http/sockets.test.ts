/** When a request is over, on connections of clients that do not wait for answers. */
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { answerHalfClosed, endWithClient, isFlood, whenOver } from '../../../src/cloud/http/sockets.js';
import { minutes } from '../../../src/kernel/time.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
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

/** Sends the text, closes the sending half, and resolves with what arrives until the connection ends. */
async function halfClosed(port: number, text: string): Promise<string> {
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  client.end(text);
  let got = '';
  client.on('data', (bytes) => {
    got += bytes;
  });
  await once(client, 'end');
  client.destroy();
  return got;
}

/** A server that answers clients which have closed their sending half. */
async function patientServer(listener: RequestListener, clock = new VirtualClock()): Promise<number> {
  server = createServer(listener);
  answerHalfClosed(server, clock);
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
const later = () => new Promise<void>((resolve) => setTimeout(resolve, 5));

it('a client that closes its sending half after its requests gets the answers to all of them', async () => {
  const port = await patientServer(async (_, response) => {
    await later();
    response.end('the answer');
  });
  expect((await halfClosed(port, GET.repeat(3))).match(/the answer/g)).toHaveLength(3);
});

it('the service, too, answers a client that has closed its sending half', async () => {
  const { app } = await service();
  app.addHook('preHandler', later);
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  expect(await halfClosed(port, `GET /v2/none HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`)).toContain('404 Not Found');
  await app.close();
});

it('a client that closes its sending half within a request gets 400', async () => {
  const port = await patientServer((request) => request.resume());
  expect(await halfClosed(port, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{')).toContain(
    '400 Bad Request',
  );
});

it('the connection of a client that has closed its sending half ends after two minutes without an answer', async () => {
  const clock = new VirtualClock();
  let halves = 0;
  const port = await patientServer(() => {}, clock);
  server?.on('connection', (socket) => socket.once('end', () => halves++));
  let isOver = false;
  const got = halfClosed(port, GET).finally(() => {
    isOver = true;
  });
  await expect.poll(() => halves).toBe(1);
  await clock.runUntil(minutes(2) - 1);
  await later();
  expect(isOver).toBe(false);
  await clock.runUntil(minutes(2));
  expect(await got).toBe('');
});

it('an answer without an end is over when its client closes its sending half', async () => {
  let over = 0;
  const port = await patientServer((_, response) => {
    endWithClient(response);
    whenOver(response, () => over++);
    response.write('begun');
  });
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  client.write(GET);
  await once(client, 'data');
  expect(over).toBe(0);
  client.end();
  await expect.poll(() => over).toBe(1);
  client.destroy();
});
