/** The connections of loads: the order of requests and responses, and failures. */
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { type CallResult, OpenAnswers } from '../../../src/runner/load/connection.js';
import { type CallSender, makeHttpCalls } from '../../../src/runner/load/http-calls.js';
import { type CallRequest, findUselessReason } from '../../../src/scenario/load/calls.js';
import type { Failed } from '../../../src/transport/transport.js';

let server: Server;
let sender: CallSender;
afterEach(async () => {
  await sender.close();
  server.closeAllConnections();
  server.close();
});

/** Starts a service, and a sender with `connections` connections to it. `sockets`: connections that the service accepted. */
async function start(listener: RequestListener, connections = 1, answers = new OpenAnswers(), failed?: Failed) {
  const sockets = new Set<Socket>();
  server = createServer(listener);
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  sender = makeHttpCalls({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'secret', connections, answers, failed });
  return { sockets };
}

const get = (path: string): CallRequest => ({ method: 'GET', path, body: undefined });
const post = (path: string): CallRequest => ({ method: 'POST', path, body: `"${path}"` });

/** Sends the requests one after the other, each as soon as the one before has ended. */
function inTurn(requests: readonly CallRequest[]): Promise<readonly CallResult[]> {
  return new Promise((resolve) => {
    const results: CallResult[] = [];
    const next = () => {
      const request = requests[results.length];
      if (request === undefined) return resolve(results);
      sender.send(request, (result) => {
        results.push(result);
        next();
      });
    };
    next();
  });
}

/** Answers with the path and the body of the request. */
const echo: RequestListener = async (request, response) => {
  let body = '';
  for await (const part of request) body += part;
  response.end(`${request.method} ${request.url} ${body}`);
};

describe('a request of a load', () => {
  it('has a path in UTF-8 and percent encoding', async () => {
    await start(echo);
    const results = await inTurn([get('/ü?name=%C3%BC'), get('/世界/\ud800')]);
    expect(results.map(({ body }) => body)).toEqual(['GET /%C3%BC?name=%C3%BC ', 'GET /%E4%B8%96%E7%95%8C/%EF%BF%BD ']);
  });

  it('has the key of the run, unless it has a credential of its own', async () => {
    await start(({ headers }, response) => response.end(`${headers['x-api-key']} ${headers.authorization}`));
    const results = await inTurn([get('/a'), { ...get('/b'), headers: { authorization: 'Bearer x' } }]);
    expect(results.map(({ body }) => body)).toEqual(['secret undefined', 'undefined Bearer x']);
  });
});

describe('a connection of a load', () => {
  it('carries the next request as soon as a response is complete, with or without a body', async () => {
    const { sockets } = await start(echo);
    const results = await inTurn([get('/1'), get('/2'), post('/3'), post('/4'), get('/5')]);
    expect(results.map(({ body }) => body)).toEqual(['GET /1 ', 'GET /2 ', 'POST /3 "/3"', 'POST /4 "/4"', 'GET /5 ']);
    expect(sockets.size).toBe(1);
  });

  it('is opened again for the next request if the service closes it after each response', async () => {
    const { sockets } = await start((_, response) => response.writeHead(200, { connection: 'close' }).end('bye'));
    const results = await inTurn([get('/1'), post('/2'), get('/3')]);
    expect(results.map(({ status, body }) => `${status} ${body}`)).toEqual(['200 bye', '200 bye', '200 bye']);
    expect(sockets.size).toBe(3);
  });

  it('carries requests again after the service has broken it', async () => {
    await start((request, response) => {
      if (request.url === '/broken') request.socket.destroy();
      else response.end('fine');
    });
    const results = await inTurn([get('/1'), get('/broken'), get('/3')]);
    expect(results.map(({ status, why }) => `${status} ${why}`)).toEqual(['200 ', '0 UND_ERR_SOCKET', '200 ']);
  });

  it('distinguishes an answer that was cut off from no answer', async () => {
    await start((request, response) => {
      if (request.url === '/cut') {
        response.writeHead(200, { 'content-length': '100' });
        response.write('half', () => request.socket.destroy());
      } else if (request.url === '/none') request.socket.destroy();
      else response.end('fine');
    });
    const results = await inTurn([get('/cut'), get('/none'), get('/fine')]);
    expect(results.map(({ status, why }) => `${status} ${why}`)).toEqual([
      '200 the answer was cut off (UND_ERR_SOCKET, connection lost)',
      '0 UND_ERR_SOCKET',
      '200 ',
    ]);
  });

  it('keeps no body and no waiting time of an earlier response', async () => {
    await start((request, response) => {
      const busy = request.url === '/busy';
      response.writeHead(busy ? 429 : 200, { 'retry-after': '7' }).end(busy ? 'busy' : undefined);
    });
    const results = await inTurn([get('/busy'), get('/2')]);
    expect(results).toMatchObject([
      { status: 429, why: '', body: 'busy', retryAfter: 7000 },
      { status: 200, why: '', body: '', retryAfter: 0 },
    ]);
  });

  it('lets other work run although every request is rejected before it is sent', async () => {
    await start(echo);
    const reasons: string[] = [];
    // Kept, because the requests go on after the test.
    const own = sender;
    const again = () =>
      own.send(get('/not a path'), ({ why }) => {
        reasons.push(why);
        if (reasons.length < 1000) again();
      });
    again();
    await new Promise((resolve) => setImmediate(resolve));
    // Without a turn of the event loop between two requests, all 1000 would have been rejected before the other work.
    expect(reasons.length).toBeLessThan(3);
    expect(reasons[0]).toBe('UND_ERR_INVALID_ARG');
  });
});

describe('a request', () => {
  it('has the length of its body in bytes, also if it is empty', async () => {
    const seen: string[] = [];
    await start(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part);
      const { 'content-length': length, 'content-type': type, host } = request.headers;
      seen.push(
        `${request.method} ${length} ${type} ${Buffer.concat(parts)} ${host === `127.0.0.1:${(server.address() as AddressInfo).port}`}`,
      );
      response.end();
    });
    await inTurn([
      { method: 'PUT', path: '/1', body: '"žluť"' },
      { method: 'POST', path: '/2', body: undefined },
      { method: 'DELETE', path: '/3', body: undefined },
      { method: 'GET', path: '/4', body: undefined },
    ]);
    expect(seen).toEqual([
      'PUT 8 application/json "žluť" true',
      'POST 0 undefined  true',
      'DELETE 0 undefined  true',
      'GET undefined undefined  true',
    ]);
  });

  it('with a sign that would begin another header or request is not sent', async () => {
    const { sockets } = await start(echo);
    const results = await inTurn([
      { ...get('/1'), headers: { 'x-note': 'a\r\nx-api-key: other' } },
      { ...get('/2'), headers: { 'x-note': 'snow \u2603' } },
      { ...get('/3'), headers: { 'x note': 'a' } },
      get('/4 HTTP/1.1\r\n\r\n'),
      get('/\u2603 '),
    ]);
    expect(results.map(({ status, why }) => `${status} ${why}`)).toEqual(Array(5).fill('0 UND_ERR_INVALID_ARG'));
    expect(sockets.size).toBe(0);
  });

  it('has the headers of the scenario instead of those of the run', async () => {
    await start((request, response) => response.end(`${request.headers['content-type']} ${request.headers.accept}`));
    const [result] = await inTurn([{ ...post('/1'), headers: { 'content-type': 'text/plain', accept: '*/*' } }]);
    expect(result?.body).toBe('text/plain */*');
  });
});

it('an answer ends when the open answers of a run together are too large, and then others have room again', async () => {
  const part = 'x'.repeat(600_000);
  const open: ServerResponse[] = [];
  const begin: RequestListener = (_, response) => {
    open.push(response);
    response.write(part);
  };
  const ended: string[] = [];
  await start(begin, 2, new OpenAnswers(1_048_576), (what, { message }) => ended.push(`${what}: ${message}`));
  const send = () => sender.send(get('/1'), ({ status, why }) => ended.push(`${status} ${why}`));
  send();
  send();
  await expect
    .poll(() => ended)
    .toEqual([
      'answer: open answers have more than 1 MiB',
      '200 the answer was ended by ghostfleet (open answers have more than 1 MiB)',
    ]);
  for (const response of open) response.end();
  await expect.poll(() => ended).toHaveLength(3);
  send();
  await expect.poll(() => open).toHaveLength(3);
  open[2]?.end();
  await expect.poll(() => ended.slice(2)).toEqual(['200 ', '200 ']);
});

it('answers whose bodies are not kept may be of any size together', async () => {
  await start((_, response) => response.end('x'.repeat(2_000_000)), 2, new OpenAnswers(1_048_576));
  const results = await inTurn([{ ...get('/1'), bodiless: true }, get('/2'), { ...get('/3'), bodiless: true }]);
  expect(results.map(({ why, body }) => why || body)).toEqual([
    '',
    'the answer was ended by ghostfleet (open answers have more than 1 MiB)',
    '',
  ]);
});

it('an answer that drips without an end, or is announced without an end, ends after its whole time', async () => {
  await start(
    (request, response) => {
      const more = () => (request.url === '/102' ? response.writeProcessing() : response.write('.'));
      const alarm = setInterval(more, 1);
      response.on('close', () => clearInterval(alarm));
    },
    1,
    new OpenAnswers(1_048_576, 10),
  );
  const results = await inTurn([get('/drip'), get('/102')]);
  expect(results.map(({ status, why }) => `${status} ${why}`)).toEqual([
    '200 the answer was ended by ghostfleet (no end within 0.01 s)',
    '0 no end within 0.01 s',
  ]);
});

it('a load reads an answer with a byte-order mark, as the typed client does', async () => {
  await start((_, response) => response.end('\ufeff{"count":3}'));
  const [result] = await inTurn([get('/1')]);
  expect(findUselessReason({ kind: 'count-devices' }, result?.body ?? '', '')).toBe('');
});

it('a load that asks for compression itself is not said to have asked for none', async () => {
  await start((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{"count":3}')));
  const [result] = await inTurn([{ ...get('/1'), headers: { 'accept-encoding': 'gzip' } }]);
  expect(result?.unreadable).toBe(
    'the answer is compressed (Content-Encoding: gzip), which ghostfleet does not read; ' +
      'turn compression off in the server or its proxy, or leave out an "accept-encoding" of your own',
  );
});

it('a load asks for answers without compression, and says why a compressed one is useless', async () => {
  const asked: (string | undefined)[] = [];
  await start((request, response) => {
    asked.push(request.headers['accept-encoding']);
    response.writeHead(200, { 'content-encoding': 'gzip' });
    response.end(gzipSync('{"count":3}'));
  });
  const [result] = await inTurn([get('/1')]);
  expect(asked).toEqual(['identity']);
  expect(findUselessReason({ kind: 'count-devices' }, result?.body ?? '', '', result?.unreadable)).toContain(
    'the answer is compressed (Content-Encoding: gzip)',
  );
});
