/** Which connections end when a service closes, with the looks at them made by hand. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createConnection, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Connections, closeServer } from '../../../src/cloud/operator/shutdown.js';
import { until } from '../../support/until.js';

let server: Server;
let connections: Connections;
const sockets: Socket[] = [];
const heads: string[] = [];
/** Answers each request when its body is complete; `/slow` when the test calls `finish`. */
let finish: (text: string) => void;

beforeEach(async () => {
  heads.length = 0;
  server = createServer((request, response: ServerResponse) => {
    heads.push(request.url ?? '');
    request.resume();
    if (request.url === '/slow') finish = (text) => void response.end(text);
    else request.on('end', () => response.end('x'.repeat(request.url === '/large' ? 50_000_000 : 1)));
  });
  connections = new Connections(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

function connected(text: string): {
  readonly socket: Socket;
  readonly answer: () => string;
  readonly ended: Promise<void>;
} {
  const socket = createConnection((server.address() as AddressInfo).port, '127.0.0.1');
  sockets.push(socket);
  let answer = '';
  socket.setEncoding('utf8');
  socket.on('data', (more: string) => {
    answer += more;
  });
  socket.on('error', () => {});
  const ended = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  socket.write(text);
  return { socket, answer: () => answer, ended };
}

const head = (path: string, ...lines: readonly string[]) =>
  [`POST ${path} HTTP/1.1`, 'Host: x', ...lines, '', ''].join('\r\n');

describe('when a service closes', () => {
  it.each([
    ['has sent no body', head('/', 'Content-Length: 100')],
    ['has sent half of its body', `${head('/', 'Content-Length: 100')}{"em`],
    ['has sent half of its chunks', `${head('/', 'Transfer-Encoding: chunked')}5\r\n{"em`],
    ['waits for 100 Continue and sends nothing', head('/', 'Content-Length: 100', 'Expect: 100-continue')],
  ])('a connection that %s ends at the second look', async (_, text) => {
    const client = connected(text);
    await until(() => heads.length === 1);
    connections.endWithoutRequest();
    connections.endStalled();
    expect(client.socket.closed).toBe(false);
    connections.endStalled();
    await client.ended;
    expect(client.answer()).not.toContain('200 OK');
  });

  it('a connection whose client does not read its answer ends at the second look', async () => {
    const client = connected(head('/large'));
    client.socket.pause();
    await until(() => heads.length === 1);
    // A later request has its answer, so this one is answered too.
    const later = connected(head('/'));
    await until(() => later.answer() !== '');
    connections.endWithoutRequest();
    connections.endStalled();
    connections.endStalled();
    client.socket.resume();
    await client.ended;
    expect(client.answer().length).toBeLessThan(50_000_000);
  });

  it('a request that the service still works on has its answer after any number of looks', async () => {
    const client = connected(head('/slow'));
    await until(() => heads.length === 1);
    connections.endWithoutRequest();
    for (let looks = 0; looks < 5; looks++) connections.endStalled();
    finish('done');
    await client.ended;
    expect(client.answer()).toMatch(/done/);
  });

  it('a request that the service still works on when the time is over ends without an answer', async () => {
    const client = connected(head('/slow'));
    await until(() => heads.length === 1);
    const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
    await closeServer({ close }, connections, AbortSignal.abort());
    await client.ended;
    expect(client.answer()).toBe('');
  });

  it('a body that arrives after the first look has its answer', async () => {
    const client = connected(`${head('/', 'Content-Length: 10')}12345`);
    await until(() => heads.length === 1);
    connections.endWithoutRequest();
    connections.endStalled();
    client.socket.write('67890');
    await client.ended;
    expect(client.answer()).toMatch(/200 OK/);
  });
});
