/** A connection of a load and servers that are slow, close it or send too much. Its seconds are counted by hand. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { type CallResult, Connection, OpenAnswers } from '../../../src/runner/load/connection.js';
import { until } from '../../support/until.js';

const FINE = 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine';
const EVIL = FINE.replace('fine', 'evil');
const REQUEST = { head: 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n', body: '' };
const shown = ({ status, why, body }: CallResult) => `${status} ${why}${body}`;

const cleanUp: (() => unknown)[] = [];
afterEach(() => {
  for (const undo of cleanUp.splice(0).reverse()) undo();
});

/** Starts a server, and a connection to it. @param serve called for each connection, which are counted from 1 */
async function listen(serve: (socket: Socket, number: number) => void, host = '127.0.0.1') {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    // The other end may close its connection at any time.
    socket.on('error', () => {});
    serve(socket, sockets.push(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const name = host.includes(':') ? `[${host}]` : host;
  const connection = new Connection(`http://${name}:${(server.address() as AddressInfo).port}`, new OpenAnswers());
  cleanUp.push(() => {
    connection.close();
    server.close();
  });
  const ask = () => new Promise<string>((resolve) => connection.send(REQUEST, (result) => resolve(shown(result))));
  return { sockets, connection, ask };
}

const answering = (socket: Socket) => socket.on('data', () => socket.write(FINE));

describe('a server that sends', () => {
  it('two responses at once does not answer the next request with the second one', async () => {
    const { ask, sockets } = await listen((socket) => socket.on('data', () => socket.write(FINE + EVIL)));
    expect([await ask(), await ask(), sockets.length]).toEqual(['200 fine', '200 fine', 2]);
  });

  it('a response without a request loses its connection', async () => {
    const { ask, sockets } = await listen(answering);
    expect(await ask()).toBe('200 fine');
    sockets[0]?.write(EVIL);
    await until(() => sockets[0]?.closed === true);
    expect([await ask(), sockets.length]).toEqual(['200 fine', 2]);
  });

  it('a body that ends with its connection answers with all of it', async () => {
    const { ask, sockets } = await listen((socket) =>
      socket.on('data', () => socket.end('HTTP/1.1 200 OK\r\n\r\nall')),
    );
    expect([await ask(), await ask(), sockets.length]).toEqual(['200 all', '200 all', 2]);
  });

  it('something else than HTTP is not asked twice over the same connection', async () => {
    const { ask, sockets } = await listen((socket) => socket.write('220 mail.example ESMTP\r\n'));
    expect([await ask(), await ask(), sockets.length]).toEqual(['0 HPE_INVALID_CONSTANT', '0 HPE_INVALID_CONSTANT', 2]);
  });

  it('a wrong chunk answers with what is wrong', async () => {
    const { ask } = await listen((socket) =>
      socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n')),
    );
    const why = 'the response is not HTTP: the size of a chunk is not a hexadecimal number';
    expect(await ask()).toBe(`200 the answer was malformed (HPE_INVALID_CHUNK_SIZE, ${why})`);
  });

  it('a head byte by byte has 30 s for all of it', async () => {
    const { connection, ask, sockets } = await listen(() => {});
    const answer = ask();
    await until(() => sockets.length === 1);
    for (let second = 0; second < 31; second++) {
      sockets[0]?.write(FINE.charAt(second));
      await new Promise((resolve) => setImmediate(resolve));
      connection.tick();
    }
    expect(await answer).toBe('0 UND_ERR_HEADERS_TIMEOUT');
  });

  it('an answer of more than 64 MiB is ended by ghostfleet', async () => {
    const { ask } = await listen((socket) =>
      socket.on('data', () => socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${64 * 1_048_576 + 1}\r\n\r\n`)),
    );
    expect(await ask()).toBe('200 the answer was ended by ghostfleet (it has more than 64 MiB)');
  });

  it('no further part of a body for 30 s has sent half an answer', async () => {
    let isSent = false;
    const { connection, ask } = await listen((socket) =>
      socket.on('data', () =>
        socket.write(FINE.slice(0, -1), () => {
          isSent = true;
        }),
      ),
    );
    const answer = ask();
    await until(() => isSent);
    // On one machine, what is sent has arrived; the connection reads it in the next turn.
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    for (let second = 0; second < 31; second++) connection.tick();
    expect(await answer).toBe('200 the answer was cut off (UND_ERR_BODY_TIMEOUT, the response stopped half-way)');
  });
});

it('a connection ends after a rest of 4 s, because the server could close it at the moment of the next request', async () => {
  const { connection, ask, sockets } = await listen(answering);
  await ask();
  for (let second = 0; second < 3; second++) connection.tick();
  await ask();
  expect(sockets.length).toBe(1);
  for (let second = 0; second < 4; second++) connection.tick();
  expect([await ask(), sockets.length]).toEqual(['200 fine', 2]);
});

it('a server with an IPv6 address is reached', async () => {
  const { ask } = await listen(answering, '::1');
  expect(await ask()).toBe('200 fine');
});

it('a request that is open when its connection is closed has no answer', async () => {
  const { connection, ask, sockets } = await listen(() => {});
  const answer = ask();
  await until(() => sockets.length === 1);
  connection.close();
  expect([await answer, await ask()]).toEqual(['0 UND_ERR_DESTROYED', '0 UND_ERR_DESTROYED']);
});

describe.skipIf(spawnSync('openssl', ['version']).status !== 0)('over TLS', () => {
  it('a server with a certificate of a known authority is asked, another one is not', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ghostfleet-tls-'));
    cleanUp.push(() => rmSync(folder, { recursive: true }));
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')] as const;
    const files = ['-newkey', 'rsa:2048', '-keyout', key, '-out', cert];
    const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
    spawnSync('openssl', ['req', '-x509', '-nodes', ...files, ...names]);
    const asked: unknown[] = [];
    const server = createSecureServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
      asked.push(request.url);
      response.end('x'.repeat(200_000));
    });
    await new Promise<void>((resolve) => server.listen(0, resolve));
    cleanUp.push(() => server.close());
    const origin = `https://localhost:${(server.address() as AddressInfo).port}`;
    const stranger = new Connection(origin, new OpenAnswers());
    expect(await new Promise<CallResult>((resolve) => stranger.send(REQUEST, resolve))).toMatchObject({
      status: 0,
      why: 'DEPTH_ZERO_SELF_SIGNED_CERT',
    });
    expect(asked).toEqual([]);
    // Node reads the known authorities when it starts.
    const program = `import { Connection, OpenAnswers } from '${new URL('../../../.compiled/runner/load/connection.js', import.meta.url)}';
      const connection = new Connection('${origin}', new OpenAnswers());
      connection.send(${JSON.stringify(REQUEST)}, ({ status, why, body }) => {
        console.log(status, why, body.length);
        connection.close();
      });`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
      env: { ...process.env, NODE_EXTRA_CA_CERTS: cert },
    });
    expect([stdout, asked]).toEqual(['200  200000\n', ['/']]);
  });
});
