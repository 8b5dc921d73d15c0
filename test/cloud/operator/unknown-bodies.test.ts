/** Resources of the service that a caller can occupy before it is authenticated: sockets and unfinished bodies. */
import { connect, type Socket } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { limitRequests } from '../../../src/cloud/api/limits.js';
import { addressesIn, networkOf } from '../../../src/cloud/http/addresses.js';
import { limitedServer } from '../../../src/cloud/http/sockets.js';
import { minutes, seconds } from '../../../src/kernel/time.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import { until } from '../../support/until.js';
import { KEY, service } from '../api/service.js';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function listening(app: FastifyInstance): Promise<number> {
  await app.listen({ port: 0, host: '127.0.0.1' });
  closing.push(() => app.close());
  return Number(new URL(app.listeningOrigin).port);
}

/** A connection that has sent a text. */
interface Caller {
  readonly socket: Socket;
  received(): string;
  isOpen(): boolean;
}

function caller(port: number, text: string, localAddress?: string): Promise<Caller> {
  let received = '';
  let open = true;
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress }, () => {
      socket.write(text, () => resolve({ socket, received: () => received, isOpen: () => open }));
    });
    socket.on('data', (chunk) => {
      received += String(chunk);
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      open = false;
    });
    closing.push(() => socket.resetAndDestroy());
  });
}

/** A request whose body is announced and has begun. */
const begun = (path: string, key: string, announced: number, body: string) =>
  [
    `POST ${path} HTTP/1.1`,
    'host: test',
    `x-api-key: ${key}`,
    'content-type: application/json',
    `content-length: ${announced}`,
    '',
    body,
  ].join('\r\n');

/** A server with small limits, whose requests with a complete body wait until they are released. */
async function small() {
  const api = fastify();
  const patience = new VirtualClock();
  const known = { all: { requests: 10, bytes: 250 }, each: { requests: 10, bytes: 200 } };
  limitRequests(api, { clock: patience, rateLimit: null, patience, known });
  let waiting = 0;
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  api.post('/v2/x', async () => {
    waiting++;
    await gate;
    return 'done';
  });
  const port = await listening(api);
  const send = async (key: string, bytes: number) => {
    const headers = { 'x-api-key': key, 'content-type': 'text/plain' };
    const body = 'a'.repeat(bytes);
    return (await fetch(`${api.listeningOrigin}/v2/x`, { method: 'POST', headers, body })).status;
  };
  return { send, port, release, waiting: () => waiting };
}

describe('the bodies of concurrent requests', () => {
  it('count against the limit when they arrive, not when they are announced', async () => {
    const { send, port, release, waiting } = await small();
    for (let n = 0; n < 5; n++) await caller(port, begun('/v2/x', 'slow', 100_000, '{'));
    const answer = send('other', 150);
    await until(() => waiting() === 1);
    release();
    expect(await answer).toBe(200);
  });

  it('are accepted up to a limit of their total size', async () => {
    const { send, release, waiting } = await small();
    const first = [send('one', 100), send('two', 100)];
    await until(() => waiting() === 2);
    expect(await send('three', 100)).toBe(503);
    const little = send('three', 50);
    await until(() => waiting() === 3);
    release();
    expect(await Promise.all([...first, little])).toEqual([200, 200, 200]);
    await until(async () => (await send('three', 100)) === 200);
  });

  it('are accepted up to a limit for each caller, which does not affect other callers', async () => {
    const { send, release, waiting } = await small();
    const first = send('one', 180);
    await until(() => waiting() === 1);
    expect(await send('one', 30)).toBe(503);
    const other = send('two', 60);
    await until(() => waiting() === 2);
    release();
    expect(await Promise.all([first, other])).toEqual([200, 200]);
  });
});

describe('the body of a request that is rejected', () => {
  it('is not waited for: the connection is closed a second after a 401', async () => {
    const { app } = await service();
    const clock = new VirtualClock();
    const api = fastify();
    limitRequests(api, { clock, rateLimit: null, patience: clock });
    api.post('/v2/x', { onRequest: async (_, reply) => reply.code(401).send('unknown') }, async () => 'done');
    const port = await listening(api);
    const stuck = await caller(port, begun('/v2/x', 'bad', 1000, '{'));
    await until(() => stuck.received().startsWith('HTTP/1.1 401'));
    await until(() => clock.waiting === 1);
    await clock.runUntil(seconds(1) - 1);
    expect(stuck.isOpen()).toBe(true);
    await clock.runUntil(seconds(1));
    await until(() => !stuck.isOpen());
    expect([app.server.requestTimeout, app.server.headersTimeout]).toEqual([15_000, 15_000]);
  });

  it('may still be sent within a second after the answer, and the connection then stays open', async () => {
    const clock = new VirtualClock();
    const api = fastify();
    limitRequests(api, { clock, rateLimit: null, patience: clock });
    api.post('/v2/x', { onRequest: async (_, reply) => reply.code(401).send('unknown') }, async () => 'done');
    const late = await caller(await listening(api), begun('/v2/x', 'bad', 2, '{'));
    await until(() => late.received().includes('unknown'));
    await until(() => clock.waiting === 1);
    late.socket.write('}');
    await until(() => clock.waiting === 0);
    await clock.runUntil(minutes(1));
    late.socket.write('GET /v2/nothing HTTP/1.1\r\nhost: test\r\n\r\n');
    await until(() => late.received().includes('HTTP/1.1 404'));
  });

  const REST = 'a'.repeat(1000);
  it.each([
    ['too large by its length', 'content-length: 1000', REST],
    ['too large in chunks', 'transfer-encoding: chunked', `28\r\n${'a'.repeat(40)}\r\n3e8\r\n${REST}\r\n0\r\n\r\n`],
    ['of a type that is rejected', 'content-length: 1000\r\ncontent-type: image/png', REST],
    ['compressed', 'content-length: 1000\r\ncontent-encoding: gzip', REST],
  ])('does not count: %s, again and again', async (_, headers, body) => {
    const api = fastify({ bodyLimit: 50 });
    const known = { all: { requests: 10, bytes: 900 }, each: { requests: 10, bytes: 900 } };
    limitRequests(api, { clock: new VirtualClock(), rateLimit: null, known });
    api.post('/v2/x', async () => 'done');
    const port = await listening(api);
    for (let n = 0; n < 4; n++) {
      const head = `POST /v2/x HTTP/1.1\r\nhost: test\r\nx-api-key: ${KEY}\r\n${headers}\r\n\r\n`;
      const { received } = await caller(port, head + body);
      await until(() => received() !== '');
      expect(received()).toMatch(/^HTTP\/1.1 4(13|15)/);
    }
  });

  it('is not read if its path has no route', async () => {
    const { app } = await service();
    const lost = await caller(await listening(app), begun('/v2/nowhere', KEY, 1_000_000, '{'));
    await until(() => lost.received().startsWith('HTTP/1.1 404'));
  });
});

describe('the connections of an address', () => {
  async function limited(isProxy?: (address: string) => boolean) {
    const connections = { all: 100, each: 2 };
    const api = fastify({ serverFactory: (handle) => limitedServer(handle, { connections, isProxy }) });
    api.get('/', async () => 'here');
    return listening(api);
  }
  const REQUEST = 'GET / HTTP/1.1\r\nhost: test\r\n\r\n';

  it('are limited: a further one is closed, and one that ends makes room', async () => {
    const port = await limited();
    const [first] = [await caller(port, REQUEST), await caller(port, REQUEST)];
    const third = await caller(port, REQUEST);
    await until(() => !third.isOpen());
    expect(third.received()).toBe('');
    first.socket.end();
    await until(() => !first.isOpen());
    await until(async () => {
      const next = await caller(port, REQUEST);
      await until(() => next.received() !== '' || !next.isOpen());
      return next.received() !== '';
    });
  });

  // Only Linux lets a program use every address of 127.0.0.0/8 without a setting.
  describe.runIf(process.platform === 'linux')('if the server has too many', () => {
    const ANSWERED = 'GET /waits HTTP/1.1\r\nhost: test\r\n\r\n';

    async function full(text: string) {
      const connections = { all: 3, each: 2 };
      const api = fastify({ serverFactory: (handle) => limitedServer(handle, { connections }) });
      api.get('/', async () => 'here');
      api.get('/waits', (_, reply) => {
        reply.raw.write('HTTP/1.1 200 OK\r\n\r\n');
      });
      api.get('/large', async () => 'x'.repeat(20_000_000));
      const port = await listening(api);
      const taken: Caller[] = [];
      for (const address of ['127.0.0.2', '127.0.0.2', '127.0.0.3']) taken.push(await caller(port, text, address));
      await until(() => text === '' || taken.every((each) => each.received() !== ''));
      return { port, taken };
    }

    it.each([
      ['has sent nothing', ''],
      ['has its answer', REQUEST],
    ])('end with the oldest of the network with the most that %s', async (_, text) => {
      const { port, taken } = await full(text);
      const next = await caller(port, REQUEST, '127.0.0.4');
      await until(() => next.received() !== '');
      expect(taken.map((each) => each.isOpen())).toEqual([false, true, true]);
    });

    it('end with one whose client does not read its answer', async () => {
      const { port, taken } = await full('');
      for (const { socket } of taken) socket.pause().write('GET /large HTTP/1.1\r\nhost: test\r\n\r\n');
      await until(async () => {
        const next = await caller(port, REQUEST, '127.0.0.4');
        await until(() => next.received() !== '' || !next.isOpen());
        return next.received() !== '';
      });
    });

    it('are closed for a network that has as many as any other', async () => {
      const { port, taken } = await full('');
      const [second, third] = [await caller(port, '', '127.0.0.3'), await caller(port, '', '127.0.0.3')];
      await until(() => !third.isOpen());
      expect([second.isOpen(), ...taken.map((each) => each.isOpen())]).toEqual([true, false, true, true]);
    });

    it('go on while they wait for an answer, and the new one is closed', async () => {
      const { port, taken } = await full(ANSWERED);
      const next = await caller(port, REQUEST, '127.0.0.4');
      await until(() => !next.isOpen());
      expect(taken.every((each) => each.isOpen())).toBe(true);
    });
  });

  it('are not limited for a trusted proxy', async () => {
    const port = await limited(addressesIn(['127.0.0.0/8']));
    const many = await Promise.all(Array.from({ length: 5 }, () => caller(port, REQUEST)));
    await until(() => many.every((each) => each.received().includes('here')));
  });

  it.each([
    ['10.0.0.7', '10.0.0.7'],
    ['::ffff:10.0.0.7', '10.0.0.7'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['2001:db8:0:0:1:2:3:4', '2001:db8:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['::1', '0:0:0:0'],
  ])('are counted by network: %s belongs to %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  it('of proxies are recognised by address or network, and other texts are rejected', () => {
    const isProxy = addressesIn(['10.1.0.0/16', '192.0.2.1', 'fd00::/8']);
    const addresses = ['10.1.2.3', '::ffff:10.1.2.3', '10.2.0.1', '192.0.2.1', '192.0.2.2', 'fd12::1', 'fe80::1', ''];
    expect(addresses.filter(isProxy)).toEqual(['10.1.2.3', '::ffff:10.1.2.3', '192.0.2.1', 'fd12::1']);
    for (const text of ['10.0.0.0/33', 'proxy.example', '', '10.0.0.0/x']) {
      expect(() => addressesIn([text])).toThrow(RangeError);
    }
  });
});
