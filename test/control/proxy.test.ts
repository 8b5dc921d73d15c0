/** The way of a request from the port of a run to the cloud: what one client sends never becomes a part of another one's request. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { RunControls } from '../../src/control/controls.js';
import { Scenarios } from '../../src/control/scenarios.js';
import { RunServer } from '../../src/control/server.js';
import { FakeTools } from './scenario-tools.js';

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly body: string;
  readonly headers: IncomingMessage['headers'];
  readonly from: number | undefined;
}

const seen: Seen[] = [];
let cloud: Server;
let server: RunServer;
let host = '';
let sessions = 0;
/** Open connections from the port to the cloud. */
const atCloud = new Set<Socket>();
/** What the database of the cloud answers to `hasSession`; undefined: it cannot be read. */
let hasSession: boolean | undefined = true;

beforeAll(async () => {
  cloud = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const { method, url, headers } = request;
    atCloud.add(request.socket.once('close', () => atCloud.delete(request.socket)));
    seen.push({ method, url, headers, body: Buffer.concat(pieces).toString(), from: request.socket.remotePort });
    if (url === '/v2/endless') return;
    response.writeHead(201, {
      'set-cookie': `ghostfleet-1=secret-${++sessions}; Path=/`,
      connection: 'x-own',
      'x-own': '1',
    });
    response.end('{}');
  });
  await new Promise<void>((resolve) => cloud.listen(0, '127.0.0.1', resolve));
  // The cast is safe because a server that listens on a port has such an address.
  const { port } = cloud.address() as AddressInfo;
  server = await RunServer.open({
    // The cast is safe because no request of these tests reaches a control, except the one of the state.
    controls: { state: () => ({ paused: false }) } as unknown as RunControls,
    scenarios: new Scenarios(new FakeTools()),
    cloud: `http://127.0.0.1:${port}`,
    hasSession: () =>
      hasSession === undefined ? Promise.reject(new Error('no database')) : Promise.resolve(hasSession),
  });
  host = new URL(server.link('http://cloud/console')).host;
});

afterAll(async () => {
  await server.close({ ended: 'The run has ended.', verdict: null });
  cloud.close();
});

afterEach(() => {
  seen.length = 0;
  hasSession = true;
});

/** Sends bytes on a connection of their own; the promise resolves with all answers when the server closes the connection. */
function send(
  head: readonly string[],
  body: Uint8Array | string = '',
  connection = 'Connection: close',
): Promise<string> {
  const socket = connect(Number(host.split(':')[1]), '127.0.0.1');
  return new Promise((resolve) => {
    let answers = '';
    socket.setEncoding('latin1').on('data', (piece) => {
      answers += piece;
    });
    socket.on('close', () => resolve(answers));
    socket.write(`${[...head, connection, '', ''].join('\r\n')}`);
    socket.write(body);
  });
}

const signIn = (body: Uint8Array | string) => {
  const head = ['POST /console/session HTTP/1.1', `Host: ${host}`, `Origin: http://${host}`];
  return send([...head, 'Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`], body);
};

const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);

describe('a sign-in at the port of a run', () => {
  it('that is not valid UTF-8 is rejected, and nothing of it reaches the cloud', async () => {
    const hidden = 'DELETE /v2/spaces/x/devices/y HTTP/1.1\r\nX: ';
    const body = Buffer.concat([Buffer.from('{"token":"'), Buffer.alloc(20, 0x80), Buffer.from(`"}${hidden}`)]);
    expect(statusOf(await signIn(body))).toBe(400);
    expect(seen).toEqual([]);
  });

  it('reaches the cloud with its letters and the right length', async () => {
    expect(statusOf(await signIn('{"token":"žluťoučký €"}'))).toBe(201);
    expect(seen.map(({ body }) => JSON.parse(body))).toEqual([{ token: 'žluťoučký €' }]);
  });

  it('with a token and a credential is rejected', async () => {
    expect(statusOf(await signIn('{"credential":"a-key","token":"x"}'))).toBe(400);
    expect(seen).toEqual([]);
  });

  it('with a token gives control; a credential does not, even with the text "token"', async () => {
    const control: number[] = [];
    for (const body of ['{"token":"x"}', '{"credential":"\\"token\\":1"}']) {
      expect(statusOf(await signIn(body))).toBe(201);
      const cookie = `Cookie: ghostfleet-${host.split(':')[1]}=secret-${sessions}`;
      control.push(statusOf(await send(['GET /run HTTP/1.1', `Host: ${host}`, `Origin: http://${host}`, cookie])));
    }
    expect(control).toEqual([200, 401]);
  });

  it('gives no control while the database of the cloud cannot be read, and again afterwards', async () => {
    await signIn('{"token":"x"}');
    const cookie = `Cookie: ghostfleet-${host.split(':')[1]}=secret-${sessions}`;
    const control = async () => {
      return statusOf(await send(['GET /run HTTP/1.1', `Host: ${host}`, `Origin: http://${host}`, cookie]));
    };
    hasSession = undefined;
    expect(await control()).toBe(503);
    hasSession = true;
    expect(await control()).toBe(200);
  });
});

describe('a request that the port of a run passes on', () => {
  it('has a connection of its own', async () => {
    for (const n of [1, 2, 3]) await send([`GET /v2/${n} HTTP/1.1`, `Host: ${host}`]);
    expect(new Set(seen.map(({ from }) => from)).size).toBe(3);
  });

  it('keeps its bytes, also if they are not text', async () => {
    const bytes = Buffer.from([0x00, 0x80, 0xff, 0x0d, 0x0a]);
    await send(['PUT /v2/firmware HTTP/1.1', `Host: ${host}`, `Content-Length: ${bytes.length}`], bytes);
    expect(seen[0]?.body).toBe(bytes.toString());
  });

  it('with a body in chunks is one request, for every method', async () => {
    const hidden = 'GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n';
    const chunks = `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`;
    for (const method of ['DELETE', 'POST', 'OPTIONS'])
      await send([`${method} /v2/devices HTTP/1.1`, `Host: ${host}`, 'Transfer-Encoding: chunked'], chunks);
    expect(seen.map(({ url, body }) => [url, body])).toEqual(Array(3).fill(['/v2/devices', hidden]));
  });

  it('loses the headers of its connection, in both directions', async () => {
    const answer = await send(['GET /v2 HTTP/1.1', `Host: ${host}`, 'Connection: x-mine', 'X-Mine: 1', 'X-Kept: 1']);
    expect(Object.keys(seen[0]?.headers ?? {}).filter((name) => name.startsWith('x-'))).toEqual(['x-kept']);
    expect(answer).not.toContain('x-own');
  });

  it('keeps its length, host and origin although Connection names them', async () => {
    const hidden = 'GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n';
    const head = [
      'DELETE /v2/a HTTP/1.1',
      `Host: ${host}`,
      'Origin: http://evil.example',
      `Content-Length: ${hidden.length}`,
    ];
    await send(head, hidden, 'Connection: close, content-length, host, origin');
    expect(seen.map(({ url, body, headers }) => [url, body, headers.host, headers.origin])).toEqual([
      ['/v2/a', hidden, host, 'http://evil.example'],
    ]);
  });

  it('with two headers Host is rejected', async () => {
    expect(statusOf(await send(['GET /v2 HTTP/1.1', `Host: ${host}`, 'Host: evil.example']))).toBe(400);
    expect(seen).toEqual([]);
  });
});

/** A client that does not wait for answers. */
describe('a client that sends many requests at once', () => {
  const GET = (path: string) => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;

  function sending(text: string): { readonly socket: Socket; received(): string } {
    let received = '';
    const socket = connect(Number(host.split(':')[1]), '127.0.0.1', () => socket.write(text));
    socket.setEncoding('latin1').on('data', (piece) => {
      received += piece;
    });
    socket.on('error', () => {});
    return { socket, received: () => received };
  }

  it('gets all answers in their order, and occupies one connection to the cloud at a time', async () => {
    const { socket, received } = sending([1, 2, 3].map((n) => GET(`/v2/${n}`)).join(''));
    let most = 0;
    await expect
      .poll(() => {
        most = Math.max(most, atCloud.size);
        return received().match(/HTTP\/1\.1 201/g)?.length;
      })
      .toBe(3);
    expect([seen.map(({ url }) => url), most <= 1]).toEqual([['/v2/1', '/v2/2', '/v2/3'], true]);
    socket.destroy();
  });

  it('does not make the port ask the cloud for answers that wait behind another one', async () => {
    const { socket } = sending(GET('/v2/endless').repeat(30));
    await expect.poll(() => seen.length).toBe(1);
    expect(statusOf(await send(['GET /v2/other HTTP/1.1', `Host: ${host}`]))).toBe(201);
    expect(seen.map(({ url }) => url)).toEqual(['/v2/endless', '/v2/other']);
    socket.resetAndDestroy();
  });

  it('leaves nothing behind when its connection breaks', async () => {
    const clients = Array.from({ length: 20 }, () => sending(GET('/v2/endless').repeat(30)).socket);
    await expect.poll(() => atCloud.size).toBe(20);
    for (const client of clients) client.resetAndDestroy();
    await expect.poll(() => atCloud.size).toBe(0);
    expect(seen).toHaveLength(20);
  });

  it('loses its connection after 32 requests without an answer', async () => {
    const { socket } = sending(GET('/v2/endless').repeat(1500));
    await expect.poll(() => socket.closed).toBe(true);
    await expect.poll(() => atCloud.size).toBe(0);
    expect(seen.length).toBeLessThanOrEqual(1);
  });
});
