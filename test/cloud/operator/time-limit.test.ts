/** The longest time that a caller waits for an answer. */
import fastify, { type FastifyInstance } from 'fastify';
import { afterEach, expect, it } from 'vitest';
import { TimeLimit } from '../../../src/cloud/api/time-limit.js';
import { errorHandler } from '../../../src/cloud/http/errors.js';
import { seconds } from '../../../src/kernel/time.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import { until } from '../../support/until.js';

const open: FastifyInstance[] = [];
afterEach(async () => {
  for (const api of open.splice(0)) await api.close();
});

/** A service in which a request waits until it is released, in a hook or in its handler. */
async function stuck(where: 'hook' | 'handler') {
  const logged: string[] = [];
  const note = (_: object, message: string) => void logged.push(message);
  const api = fastify();
  open.push(api);
  const clock = new VirtualClock();
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  let handled = 0;
  const time = new TimeLimit(clock);
  api.addHook('onRequest', (_, reply, done) => {
    time.begin(reply);
    reply.raw.once('close', () => time.end(reply));
    done();
  });
  api.setErrorHandler(errorHandler({ info: note, warn: note, error: note }, { plainNotFound: false }));
  if (where === 'hook') api.addHook('onRequest', async () => gate);
  api.get('/v2/slow', async () => {
    handled++;
    await gate;
    return { fine: true };
  });
  const address = await api.listen({ port: 0, host: '127.0.0.1' });
  const answer = fetch(`${address}/v2/slow`);
  await until(() => clock.waiting > 0);
  return { answer, address, clock, release, logged, handled: () => handled };
}

it.each(['hook', 'handler'] as const)('a request that hangs in a %s is answered with 503 after 20 s', async (where) => {
  const { answer, clock, release, logged } = await stuck(where);
  await clock.runUntil(seconds(20));
  const { status, headers } = await answer;
  expect([status, headers.get('retry-after')]).toEqual([503, '5']);
  expect(await (await answer).json()).toMatchObject({ code: 'time-limit', statusCode: 503 });
  release();
  await new Promise((resolve) => setImmediate(resolve));
  expect(logged).toEqual([]);
});

it('a request that ends in time is not affected, and leaves no alarm', async () => {
  const { answer, clock, release } = await stuck('handler');
  await clock.runUntil(seconds(19));
  release();
  expect(await (await answer).json()).toEqual({ fine: true });
  await until(() => clock.waiting === 0);
});

it('a request whose time ran out in a hook does not reach its handler', async () => {
  const { answer, clock, release, handled } = await stuck('hook');
  await clock.runUntil(seconds(20));
  await answer;
  release();
  await new Promise((resolve) => setImmediate(resolve));
  expect(handled()).toBe(0);
});

it('each request has its own 20 s', async () => {
  const { answer, address, clock, release, handled } = await stuck('handler');
  await clock.runUntil(seconds(15));
  const later = fetch(`${address}/v2/slow`);
  // The first alarm answers the first request only.
  await until(() => handled() === 2);
  await clock.runUntil(seconds(34));
  expect((await answer).status).toBe(503);
  release();
  expect((await later).status).toBe(200);
});
