import type { LookupAddress } from 'node:dns';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { Lookup } from '../../../src/cloud/connectors/lookups.js';
import { isPublicAddress } from '../../../src/cloud/connectors/public-address.js';
import { Sender } from '../../../src/cloud/connectors/sender.js';
import { RealClock } from '../../../src/kernel/real-clock.js';
import { seconds } from '../../../src/kernel/time.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import { receiver } from './receiver.js';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Whose requests these are. */
const TENANT = 'tenant';

function sender(
  options: { readonly allowPrivate?: boolean; readonly hosts?: readonly string[]; readonly lookup?: Lookup } = {},
): Sender {
  const made = new Sender({ patience: new RealClock(), allowPrivate: false, ...options });
  closing.push(async () => made.close());
  return made;
}

async function target(...options: Parameters<typeof receiver>) {
  const made = await receiver(...options);
  closing.push(made.close);
  return made;
}

const get = (url: string) => ({ method: 'GET', url, header: {}, body: null });

/** A lookup that ignores the name: each lookup returns the next of the answers, then always the last one. */
function names(...answers: readonly (readonly string[])[]) {
  const asked: string[] = [];
  const lookup: Lookup = (hostname, options, callback) => {
    const addresses = answers[Math.min(asked.length, answers.length - 1)] ?? [];
    asked.push(hostname);
    const found: LookupAddress[] = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    if (options.all) callback(null, found);
    else callback(null, found[0]?.address ?? '', found[0]?.family);
  };
  return { lookup, asked };
}

describe('an address', () => {
  it.each(['1.1.1.1', '93.184.216.34', '172.15.0.1', '172.32.0.1', '192.167.1.1', '223.255.255.1', '2606:4700::1111'])(
    'such as %s is public',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );
  it.each([
    ['this host', '0.0.0.0'],
    ['private', '10.255.0.1'],
    ['private', '172.16.0.1'],
    ['private', '172.31.255.255'],
    ['private', '192.168.1.1'],
    ['shared', '100.64.0.1'],
    ['loopback', '127.0.0.1'],
    ['loopback', '127.255.255.254'],
    ['link-local, with the metadata of clouds', '169.254.169.254'],
    ['documentation', '203.0.113.9'],
    ['benchmarks', '198.19.0.1'],
    ['multicast', '224.0.0.1'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['IPv4 mapped into IPv6', '::ffff:127.0.0.1'],
    ['IPv4 mapped into IPv6', '::ffff:8.8.8.8'],
    ['IPv4-compatible', '::127.0.0.1'],
    ['translated by NAT64', '64:ff9b::7f00:1'],
    ['unique local', 'fd00::1'],
    ['link-local', 'fe80::1'],
    ['link-local with a zone', 'fe80::1%eth0'],
    ['site-local', 'fec0::1'],
    ['multicast', 'ff02::1'],
    ['6to4 of loopback', '2002:7f00:1::'],
    ['Teredo', '2001::1'],
    ['documentation', '2001:db8::1'],
    ['not an address', 'localhost'],
    ['not an address', ''],
  ])('is not public if it is %s: %s', (_, address) => expect(isPublicAddress(address)).toBe(false));
});

describe('the sender of a run', () => {
  it('rejects hosts that the user has not permitted, without looking up their names', async () => {
    const { lookup, asked } = names(['10.0.0.1']);
    const one = sender({ hosts: ['hooks.example'], lookup });
    const why = async (url: string) => (await one.send(get(url), seconds(5), TENANT)) as { readonly why?: string };
    expect((await why('http://other.example/')).why).toContain('--allow-host other.example');
    expect((await why('http://1.1.1.1/')).why).toContain('--allow-host 1.1.1.1');
    expect(asked).toEqual([]);
    expect((await why('http://hooks.example/')).why).toContain('"hooks.example" is not a public address');
  });
});

const refusal = (host: string) =>
  `"${host}" is not a public address; to permit private ones, start the service with --allow-private`;

describe('the guard against private addresses', () => {
  it('names the setting of the scenario in a run', async () => {
    const reply = await sender({ hosts: [] }).send(get('http://10.0.0.1/'), seconds(5), TENANT);
    expect(reply).toMatchObject({ why: expect.stringMatching(/ the setting allow-private$/) });
  });

  it.each(['http://127.0.0.1:3000/in', 'http://[fd00::1]/', 'http://inside.example/', 'http://localhost./'])(
    'is asked about %s without a request',
    async (url) => {
      const { lookup } = names(['10.0.0.1'], ['10.0.0.1']);
      expect(await sender({ lookup }).refusal(get(url), TENANT)).toContain('--allow-private');
      expect(await sender({ lookup, allowPrivate: true }).refusal(get(url), TENANT)).toBeUndefined();
    },
  );

  it('does not call a name refused that cannot be resolved', async () => {
    const lookup = (_: string, __: object, done: (error: Error, found: string) => void) => done(new Error('no'), '');
    expect(await sender({ lookup }).refusal(get('http://gone.example/'), TENANT)).toBeUndefined();
  });

  it.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0177.0.0.1/',
    'http://0/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://169.254.169.254/latest/meta-data/',
    'https://192.168.0.1/',
  ])('rejects %s without resolving a name', async (url) => {
    const { lookup, asked } = names(['1.1.1.1']);
    const reply = await sender({ lookup }).send(get(url), seconds(5), TENANT);
    expect(reply).toMatchObject({ kind: 'refused', why: expect.stringContaining('is not a public address') });
    expect(asked).toEqual([]);
  });

  it('prevents requests to this machine, by address or by the name localhost', async () => {
    const inside = await target();
    const { port } = new URL(inside.url);
    const guarded = sender();
    for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
      expect(await guarded.send(get(`http://${host}:${port}/`), seconds(5), TENANT)).toMatchObject({ kind: 'refused' });
    }
    expect(inside.received).toEqual([]);
  });

  it('checks the address of the connection, so that a name that resolves differently later has no effect', async () => {
    const inside = await target();
    const { port } = new URL(inside.url);
    // Only the first lookup returns a private address. A second lookup would return a public address.
    const { lookup, asked } = names(['127.0.0.1'], ['1.1.1.1']);
    const reply = await sender({ lookup }).send(get(`http://rebind.example:${port}/`), seconds(5), TENANT);
    expect(reply).toEqual({ kind: 'refused', why: refusal('rebind.example') });
    expect([asked, inside.received]).toEqual([['rebind.example'], []]);
  });

  it.each([
    ['one of its addresses is private', ['1.1.1.1', '10.0.0.1']],
    ['its only address is a private one, mapped into IPv6', ['::ffff:10.0.0.1']],
  ])('rejects a name when %s', async (_, addresses) => {
    const { lookup } = names(addresses);
    const reply = await sender({ lookup }).send(get('https://mixed.example/'), seconds(5), TENANT);
    expect(reply).toEqual({ kind: 'refused', why: refusal('mixed.example') });
  });

  it('does not follow a redirect to an address that is not permitted', async () => {
    const inside = await target();
    const outside = await target((_, response) => response.writeHead(302, { location: inside.url }).end('moved'));
    const reply = await sender({ allowPrivate: true }).send(get(outside.url), seconds(5), TENANT);
    expect(reply).toEqual({ kind: 'answer', status: 302, text: 'moved' });
    expect(inside.received).toEqual([]);
  });
});

describe('a request', () => {
  const free = () => sender({ allowPrivate: true });

  it('arrives as it was made, with the host of its URL', async () => {
    const { url, received } = await target();
    const header = { 'x-a': 'b', 'content-type': 'application/json' };
    const reply = await free().send(
      { method: 'PUT', url: `${url}/p?q=1`, header, body: '{"a":1}' },
      seconds(5),
      TENANT,
    );
    expect(reply).toEqual({ kind: 'answer', status: 200, text: '' });
    expect(received).toMatchObject([{ method: 'PUT', path: '/p?q=1', json: { a: 1 }, headers: { 'x-a': 'b' } }]);
    expect(received[0]?.headers.host).toBe(new URL(url).host);
  });

  it.each([
    ['sends nothing', () => {}],
    [
      'sends an incomplete header',
      (response: DribblingResponse) => void response.socket?.write('HTTP/1.1 200 OK\r\nx: '),
    ],
  ])('to a target that %s times out', async (_, misbehave) => {
    const { url } = await target((__, response) => misbehave(response));
    expect(await free().send(get(url), 300, TENANT)).toEqual({ kind: 'silence', why: 'no response within 0.3 s' });
  });

  it('whose response never ends is judged by the status of the response', async () => {
    const endless = await target((_, response) => {
      const more = () => response.write('x'.repeat(16_384), () => !response.destroyed && more());
      more();
    });
    expect(await free().send(get(endless.url), seconds(5), TENANT)).toEqual({ kind: 'answer', status: 200, text: '' });
    const stuck = await target((_, response) => response.writeHead(500).write('the beginning'));
    expect(await free().send(get(stuck.url), 300, TENANT)).toEqual({
      kind: 'answer',
      status: 500,
      text: 'the beginning',
    });
  });

  it('that fails keeps the first characters of the response, without control characters', async () => {
    const { url } = await target((_, response) => response.writeHead(403).end(`no\u0000 \u001b[31m${'é'.repeat(900)}`));
    const reply = await free().send(get(url), seconds(5), TENANT);
    expect(reply).toMatchObject({ kind: 'answer', status: 403, text: expect.stringMatching(/^no +\[31mé{490,}$/) });
  });

  it.each([
    ['100 Continue before its 200', ['HTTP/1.1 100 Continue\r\n\r\n']],
    ['several interim responses', ['HTTP/1.1 102 Processing\r\n\r\n', 'HTTP/1.1 100 Continue\r\nx: y\r\n\r\n']],
    ['early hints', ['HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n']],
  ])('to a target that sends %s has the final response', async (_, interim) => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.write(`${interim.join('')}HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n`));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => new Promise((resolve) => server.close(resolve)));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const request = { method: 'POST', url, header: {}, body: '{}' };
    expect(await free().send(request, seconds(5), TENANT)).toEqual({ kind: 'answer', status: 200, text: '' });
  });

  it.each([
    [
      'a body in chunks of one byte',
      `HTTP/1.1 500 Oh\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\na\r\n'.repeat(20_000)}`,
      { kind: 'answer', status: 500, text: 'a'.repeat(500) },
    ],
    [
      'interim responses without an end',
      'HTTP/1.1 102 Processing\r\n\r\n'.repeat(1000),
      { kind: 'silence', why: 'too many interim responses' },
    ],
  ])('to a target that sends %s ends before its time', async (_, text, reply) => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.write(text));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => new Promise((resolve) => server.close(resolve)));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    expect(await free().send(get(url), seconds(600), TENANT)).toEqual(reply);
  });

  it.each([
    ['and keeps the connection', ''],
    ['and sends data of the other protocol', '\u0081\u0005hello'],
    ['and then a 200', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'],
  ])(
    'to a target that answers 101 Switching Protocols %s has this answer, and closes the connection',
    async (_, more) => {
      let ended: Promise<unknown> = Promise.resolve();
      const head = 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n';
      const server = createServer((socket) => {
        ended = new Promise((resolve) => socket.on('close', resolve));
        socket.on('error', () => {});
        socket.once('data', () => socket.write(head + more));
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      closing.push(() => new Promise((resolve) => server.close(resolve)));
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      expect(await free().send(get(url), seconds(5), TENANT)).toEqual({ kind: 'answer', status: 101, text: '' });
      await ended;
    },
  );

  /** A target that answers the first request of each connection; `then` decides about the second. */
  async function forgetful(then: (socket: Socket) => void) {
    const received: string[] = [];
    const server = createServer((socket) => {
      let requests = 0;
      socket.on('error', () => {});
      socket.on('data', (data) => {
        received.push(String(data).split('\r\n', 1)[0] ?? '');
        requests++;
        if (requests === 1) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
        else then(socket);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => new Promise((resolve) => server.close(resolve)));
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, received };
  }

  it.each<[string, string, (socket: Socket) => void]>([
    ['closed', 'POST', (socket) => socket.end()],
    ['closed', 'GET', (socket) => socket.end()],
    ['reset', 'POST', (socket) => socket.resetAndDestroy()],
    ['reset', 'DELETE', (socket) => socket.resetAndDestroy()],
  ])('whose reused connection the target has %s is repeated on a new one: %s', async (_, method, then) => {
    const { url, received } = await forgetful(then);
    const body = method === 'POST' ? '{"a":1}' : null;
    const one = free();
    for (const n of [1, 2, 3]) {
      const reply = await one.send({ method, url: `${url}${n}`, header: {}, body }, seconds(5), TENANT);
      expect(reply).toEqual({ kind: 'answer', status: 200, text: '' });
    }
    const lines = ['/1', '/2', '/2', '/3'].map((path) => `${method} ${path} HTTP/1.1`);
    expect(received).toEqual(lines);
  });

  it('whose reused connections are all closed is repeated once, not on each of them', async () => {
    const { url, received } = await forgetful((socket) => socket.end());
    const one = free();
    await Promise.all([1, 2, 3, 4].map(() => one.send(get(url), seconds(5), TENANT)));
    expect(await one.send(get(url), seconds(5), TENANT)).toMatchObject({ status: 200 });
    expect(received).toHaveLength(6);
  });

  it('is not repeated if the target has begun its answer, or if its connection is new', async () => {
    const partial = await forgetful((socket) => socket.end('HTTP/1.1 2'));
    const one = free();
    expect(await one.send(get(partial.url), seconds(5), TENANT)).toMatchObject({ status: 200 });
    expect(await one.send(get(partial.url), seconds(5), TENANT)).toMatchObject({ kind: 'silence' });
    expect(partial.received).toHaveLength(2);
    const broken = await target((_, response) => response.destroy());
    expect(await one.send(get(broken.url), seconds(5), TENANT)).toEqual({ kind: 'silence', why: 'connection lost' });
    expect(broken.received).toHaveLength(1);
  });

  it('goes to the new address of a name at the latest after a minute, also if its connection is never idle', async () => {
    const { url, received } = await target();
    const { lookup, asked } = names(['127.0.0.1']);
    const patience = new VirtualClock();
    const one = new Sender({ patience, allowPrivate: true, lookup });
    closing.push(async () => one.close());
    const named = url.replace('127.0.0.1', 'hook.test');
    const lookups: number[] = [];
    for (let n = 0; n <= 14; n++) {
      expect(await one.send(get(named), seconds(5), TENANT)).toMatchObject({ status: 200 });
      lookups.push(asked.length);
      await patience.runUntil(seconds(10 * (n + 1)));
    }
    expect(received).toHaveLength(15);
    expect(lookups).toEqual([1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 3]);
  });

  it('whose name is not resolved times out, and one of another tenant is sent meanwhile', async () => {
    const { url } = await target();
    const asked: string[] = [];
    const lookup: Lookup = (hostname, _, callback) => {
      asked.push(hostname);
      if (hostname === 'hook.test') callback(null, [{ address: '127.0.0.1', family: 4 }]);
    };
    const one = sender({ allowPrivate: true, lookup });
    const slow = [1, 2, 3].map((n) => one.send(get(`http://slow${n}.test/`), 300, TENANT));
    const named = url.replace('127.0.0.1', 'hook.test');
    expect(await one.send(get(named), seconds(5), 'another')).toMatchObject({ status: 200 });
    expect(await Promise.all(slow)).toEqual(Array(3).fill({ kind: 'silence', why: 'no response within 0.3 s' }));
    expect(asked).toEqual(['slow1.test', 'hook.test']);
  });

  it('whose reused connection is silent is not repeated: it times out', async () => {
    const { url, received } = await forgetful(() => {});
    const one = free();
    expect(await one.send(get(url), seconds(5), TENANT)).toMatchObject({ status: 200 });
    expect(await one.send(get(url), 300, TENANT)).toEqual({ kind: 'silence', why: 'no response within 0.3 s' });
    expect(received).toHaveLength(2);
  });

  it.each([
    ['120', 120],
    ['Wed, 21 Oct 2026 07:30:00 GMT', 1800],
    ['Wed, 21 Oct 2026 06:00:00 GMT', 0],
    ['soon', undefined],
    ['-5', undefined],
    ['1.5', undefined],
  ])('that gets the header Retry-After: %s reports a wait of %s s', async (wait, waits) => {
    const date = 'Wed, 21 Oct 2026 07:00:00 GMT';
    const { url } = await target((_, response) => response.writeHead(429, { 'retry-after': wait, date }).end());
    const reply = await free().send(get(url), seconds(5), TENANT);
    expect(reply).toEqual({
      kind: 'answer',
      status: 429,
      text: '',
      ...(waits !== undefined && { retryAfter: seconds(waits) }),
    });
  });

  it('that gets no valid response reports the reason', async () => {
    const { url, close } = await target();
    await close();
    const why = 'connection refused';
    expect(await free().send(get(url), seconds(5), TENANT)).toEqual({ kind: 'silence', why });
    const broken = await target((_, response) => response.destroy());
    expect(await free().send(get(broken.url), seconds(5), TENANT)).toEqual({ kind: 'silence', why: 'connection lost' });
    const long = await target((_, response) => response.setHeader('x', 'y'.repeat(20_000)).end());
    expect(await free().send(get(long.url), seconds(5), TENANT)).toMatchObject({ kind: 'silence' });
  });
});

type DribblingResponse = Parameters<NonNullable<Parameters<typeof receiver>[0]>>[1];
