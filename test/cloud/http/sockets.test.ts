/** Connections of clients that do not wait for answers, do not read them, or send no more. */
import { once } from 'node:events';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { endWithClient, limitedServer, whenOver } from '../../../src/cloud/http/sockets.js';
import { minutes } from '../../../src/kernel/time.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import { service } from '../api/service.js';

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

let server: Server | undefined;
afterEach(() => server?.close());

const CONNECTIONS = { all: 100, each: 100 };

/** The port of a server. */
async function serving(listener: RequestListener, clock = new VirtualClock()): Promise<number> {
  server = limitedServer(listener, { connections: CONNECTIONS, patience: clock });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  // The cast is safe because a server that listens on a port has such an address.
  return (server.address() as AddressInfo).port;
}

/** A connection with three requests that the client sends without waiting for answers. */
async function connected(listener: RequestListener): Promise<Socket> {
  const client = connect(await serving(listener), '127.0.0.1');
  client.on('error', () => {});
  client.resume().write(GET.repeat(3));
  return client;
}

it('a request is handled when the answer before it was received, and not at all if the connection breaks', async () => {
  let [begun, over] = [0, 0];
  const answers: (() => void)[] = [];
  const client = await connected((_, response) => {
    begun++;
    whenOver(response, () => over++);
    answers.push(() => response.end());
  });
  await expect.poll(() => begun).toBe(1);
  answers[0]?.();
  await expect.poll(() => begun).toBe(2);
  client.resetAndDestroy();
  await expect.poll(() => over).toBe(2);
  expect(begun).toBe(2);
});

it.each([
  ['no Host header', 'GET / HTTP/1.1\r\n\r\n', 400, 'the request has no header'],
  ['an unknown Expect', GET.replace(/\r\n$/, 'Expect: y\r\n\r\n'), 417, 'the only known value'],
])('a request with %s is refused in its turn, and with it those behind it', async (_, text, status, reason) => {
  const begun: ServerResponse[] = [];
  const client = connect(await serving((_request, response) => void begun.push(response)), '127.0.0.1');
  let received = '';
  client.on('data', (bytes) => {
    received += bytes;
  });
  client.write(GET + text.repeat(3));
  await expect.poll(() => begun).toHaveLength(1);
  begun[0]?.end('first');
  await once(client, 'close');
  expect(received.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', `HTTP/1.1 ${status}`]);
  expect(received).toContain(reason);
  expect(begun).toHaveLength(1);
});

const HEAD = 'POST / HTTP/1.1\r\nHost: x\r\n';

it.each([
  ['a body', `${HEAD}Content-Length: 1\r\n\r\na`],
  ['a body after 100 Continue', `${HEAD}Expect: 100-continue\r\nContent-Length: 1\r\n\r\na`],
  ['trailers', `${HEAD}Transfer-Encoding: chunked\r\n\r\n0\r\na: b\r\n\r\n`],
  ['many headers', `${HEAD}${'a: b\r\n'.repeat(40)}\r\n`],
])(
  'requests with %s count as unanswered until their read is parsed, however quick the answers are',
  async (_, text) => {
    let handled = 0;
    const port = await serving((request, response) => {
      handled++;
      request.resume();
      response.end();
    });
    const client = connect(port, '127.0.0.1');
    client.on('error', () => {});
    client.resume().write(text.repeat(100));
    await new Promise((resolve) => client.once('close', resolve));
    expect(handled).toBeLessThan(40);
  },
);

/** A client that asks, and reads nothing. */
function deaf(port: number, text: string): Socket {
  const client = connect(port, '127.0.0.1');
  client.on('error', () => {});
  client.pause().write(text);
  return client;
}

/** More than the buffers of the operating system. */
const LARGE = 'x'.repeat(20_000_000);

it('a client that does not read an answer gets no further request handled, and loses its connection', async () => {
  const sockets: Socket[] = [];
  const port = await serving(({ socket }, response) => {
    sockets.push(socket);
    response.end(LARGE);
  });
  const clients = [deaf(port, GET.repeat(30)), deaf(port, GET.repeat(30))];
  await expect.poll(() => sockets.filter((socket) => socket.writableLength > 0)).toHaveLength(2);
  // As after two minutes without a byte that a client takes.
  for (const socket of sockets) server?.emit('timeout', socket);
  await expect.poll(() => sockets.every((socket) => socket.destroyed)).toBe(true);
  expect(sockets).toHaveLength(2);
  for (const client of clients) client.destroy();
});

it('a client that waits for the service keeps its connection, however long that takes', async () => {
  const sockets: Socket[] = [];
  const port = await serving(({ socket }) => void sockets.push(socket));
  const client = deaf(port, GET);
  await expect.poll(() => sockets).toHaveLength(1);
  for (const socket of sockets) server?.emit('timeout', socket);
  expect(sockets[0]?.destroyed).toBe(false);
  client.destroy();
});

it('an idle connection ends after its time', async () => {
  let socket: Socket | undefined;
  const port = await serving((request, response) => {
    socket = request.socket;
    response.end();
  });
  const client = deaf(port, GET).resume();
  await once(client, 'data');
  await expect
    .poll(() => {
      if (socket) server?.emit('timeout', socket);
      return socket?.destroyed;
    })
    .toBe(true);
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

it('the connection of a client with more than 32 unanswered requests is closed, and its request is over', async () => {
  let [begun, over] = [0, 0];
  const client = await connected((_, response) => {
    begun++;
    whenOver(response, () => over++);
  });
  client.write(GET.repeat(100));
  await expect.poll(() => client.closed).toBe(true);
  expect([begun, over]).toEqual([1, 1]);
});

it('what has arrived behind the 32 unanswered requests of a connection is not parsed', async () => {
  const port = await serving(() => {});
  let parsed = 0;
  server?.prependListener('request', () => parsed++);
  // A few kilobytes, which arrive at once.
  const client = deaf(port, 'GET / HTTP/1.1\r\nHost:x\r\n\r\n'.repeat(200)).resume();
  await expect.poll(() => client.closed).toBe(true);
  expect(parsed).toBe(33);
});

const POST = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
const END = '0\r\n\r\n';
const pieces = (count: number) => '1\r\na\r\n'.repeat(count);

it.each(['is read', 'is discarded after the answer'])(
  'a connection whose body %s ends after 1,000 pieces that arrive at once, and the next one is served',
  async (what) => {
    let [seen, whole] = [0, 0];
    const port = await serving((request, response) => {
      request.on('error', () => {});
      request.on('data', () => seen++);
      request.on('end', () => whole++);
      if (what !== 'is read') response.end('early');
    });
    const attacker = deaf(port, POST + pieces(20_000)).resume();
    await expect.poll(() => attacker.closed).toBe(true);
    // Reads take at most 64 KiB, and the first ones may be short.
    expect(seen).toBeLessThan(5000);
    const client = deaf(port, POST + pieces(900) + END).resume();
    await expect.poll(() => whole).toBe(1);
    client.destroy();
  },
);

/** A connection of which the server reads a text when the test says so. */
class Wire extends Duplex {
  bytesRead = 0;
  override _read() {}
  override _write(_bytes: unknown, _encoding: string, done: () => void) {
    done();
  }
  arrive(text: string) {
    this.bytesRead += text.length;
    this.push(text);
  }
}

/** Another connection arrives right behind the text, before the first one is closed. */
async function closeFirst(text: string): Promise<void> {
  const [first, second] = [new Wire(), new Wire()];
  server?.emit(
    'connection',
    first.on('error', () => {}),
  );
  await nextTurn();
  first.arrive(text);
  server?.emit('connection', second);
  await nextTurn();
  expect(first.closed).toBe(true);
  second.destroy();
  await nextTurn();
}

it.each([
  ['asks for a tunnel', 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n'],
  [
    'sends too many pieces and asks for a tunnel',
    `${POST}${pieces(1500)}${END}CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n`,
  ],
  ['sends what is not HTTP', 'not HTTP\r\n\r\n'],
])('a connection that %s leaves the bodies of other connections whole', async (_, text) => {
  const bodies: number[] = [];
  const port = await serving(async (request, response) => {
    let length = 0;
    request.on('error', () => {});
    request.on('data', (piece) => (length += piece.length));
    request.on('end', () => response.end(() => bodies.push(length)));
  });
  for (let round = 0; round < 20; round++) await closeFirst(text);
  const clients = Array.from({ length: 20 }, () => deaf(port, '').resume());
  for (let request = 1; request <= 3; request++) {
    for (const client of clients) client.write(POST + pieces(900) + END);
    await expect.poll(() => bodies).toHaveLength(request * clients.length);
  }
  expect(new Set(bodies)).toEqual(new Set([900]));
  for (const client of clients) client.destroy();
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
  expect(begun).toBeLessThanOrEqual(1);
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

const later = () => new Promise<void>((resolve) => setTimeout(resolve, 5));

it('a client that closes its sending half after its requests gets the answers to all of them', async () => {
  const port = await serving(async (_, response) => {
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
  const port = await serving((request) => request.resume());
  expect(await halfClosed(port, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{')).toContain(
    '400 Bad Request',
  );
});

it('the connection of a client that has closed its sending half ends after two minutes without an answer', async () => {
  const clock = new VirtualClock();
  let halves = 0;
  const port = await serving(() => {}, clock);
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
  const port = await serving((_, response) => {
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

it('the end of a connection of a proxy leaves those of its network counted', async () => {
  const isProxy = (address: string) => address === '2001:db8::1';
  const server = limitedServer(() => {}, { connections: { all: 100, each: 1 }, isProxy });
  const open = (remoteAddress: string) => {
    const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: remoteAddress });
    server.emit('connection', socket);
    return socket;
  };
  const proxy = open('2001:db8::1');
  const client = open('2001:db8::2');
  proxy.destroy();
  await once(proxy, 'close');
  const further = open('2001:db8::3');
  expect([client.destroyed, further.destroyed]).toEqual([false, true]);
  client.destroy();
});
