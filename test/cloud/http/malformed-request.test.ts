/** What Node's parser refuses, before a route sees it. */
import { connect } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterEach, expect, it } from 'vitest';
import { minutes } from '../../../src/kernel/time.js';
import { KEY, service } from '../api/service.js';

let app: FastifyInstance | undefined;
afterEach(() => app?.close());

async function started() {
  const { app: api, logged, clock } = await service();
  app = api;
  const port = Number(new URL(await api.listen({ port: 0, host: '127.0.0.1' })).port);
  /** The answer to bytes after which the client sends no more. */
  const answerTo = (bytes: string | Buffer): Promise<string> =>
    new Promise((resolve) => {
      let received = '';
      const socket = connect(port, '127.0.0.1', () => socket.end(bytes));
      socket.on('data', (chunk) => {
        received += String(chunk);
      });
      socket.on('error', () => {});
      socket.on('close', () => resolve(received));
    });
  return { answerTo, logged, clock };
}

const HEAD = `POST /v2/spaces HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${KEY}\r\nContent-Type: application/json\r\n`;

it.each([
  ['TLS', Buffer.from('1603010200010001fc0303', 'hex'), 'the connection begins with TLS'],
  ['the PROXY protocol', `PROXY TCP4 10.0.0.1 10.0.0.2 5 80\r\n${HEAD}\r\n`, 'a header of the PROXY protocol'],
  ['its version 2', Buffer.from('0d0a0d0a000d0a515549540a2111000c', 'hex'), 'a header of the PROXY protocol'],
  ['a body shorter than announced', `${HEAD}Content-Length: 9\r\n\r\n{`, 'its body is shorter than announced'],
  ['both lengths', `${HEAD}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 'Content-Length'],
  ['an unknown method', 'SECRET / HTTP/1.1\r\nHost: x\r\n\r\n', 'the request is not valid HTTP: Invalid method'],
])('a request with %s gets 400 and its reason', async (_, bytes, reason) => {
  const { answerTo, logged } = await started();
  const answer = await answerTo(bytes);
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/);
  const message = expect.stringContaining(reason);
  expect(JSON.parse(body)).toEqual({ statusCode: 400, error: 'Bad Request', message, code: 'malformed-request' });
  const fields = expect.objectContaining({ why: message, refused: 1 });
  expect(logged).toEqual([{ level: 'warn', fields, message: 'a request is not valid HTTP' }]);
});

it('a request with too large headers gets 431', async () => {
  const { answerTo } = await started();
  const answer = await answerTo(`${HEAD}a: ${'x'.repeat(20_000)}\r\n\r\n`);
  expect(answer).toMatch(/^HTTP\/1.1 431 .*"message":"the headers of the request are too large"/s);
});

it('malformed requests get a line of the log once a minute, with their number and without their content', async () => {
  const { answerTo, logged, clock } = await started();
  for (let n = 0; n < 3; n++) await answerTo('SECRET / HTTP/1.1\r\n\r\n');
  await clock.runUntil(clock.now + minutes(1));
  await answerTo('SECRET / HTTP/1.1\r\n\r\n');
  expect(logged.map(({ fields }) => fields)).toMatchObject([{ refused: 1 }, { refused: 3 }]);
  expect(JSON.stringify(logged)).not.toContain('SECRET');
});

it('an answer that has begun is not mixed with the refusal of the bytes behind its request', async () => {
  const { app: api } = await service();
  app = api;
  api.get('/begun', (_, reply) => void reply.raw.write('begun'));
  const port = Number(new URL(await api.listen({ port: 0, host: '127.0.0.1' })).port);
  let received = '';
  const socket = connect(port, '127.0.0.1', () => socket.write('GET /begun HTTP/1.1\r\nHost: x\r\n\r\n'));
  socket.on('data', (chunk) => {
    received += String(chunk);
    socket.write('SECRET / HTTP/1.1\r\n\r\n');
  });
  await new Promise((resolve) => socket.on('error', () => {}).on('close', resolve));
  expect(received).toContain('begun');
  expect(received).not.toContain('malformed-request');
});

it('a malformed request does not get the answer of the valid one before it, which has arrived with it', async () => {
  const { answerTo } = await started();
  const answer = await answerTo(`GET /v2/spaces HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${KEY}\r\n\r\nSECRET`);
  expect(answer).not.toContain('malformed-request');
});
