import fastify from 'fastify';
import { expect, it } from 'vitest';
import { acceptJsonOnly } from '../../../src/cloud/http/body.js';

function echo() {
  const app = fastify();
  const turns: (() => void)[] = [];
  acceptJsonOnly(app, () => new Promise((resolve) => turns.push(resolve)));
  app.post('/', { schema: { body: {} } }, async ({ body }) => ({ length: (body as { text: string }).text.length }));
  const post = (length: number) => app.inject({ method: 'POST', url: '/', payload: { text: 'x'.repeat(length) } });
  return { post, turns };
}

it('a large body is read in its turn', async () => {
  const { post, turns } = echo();
  const ended: number[] = [];
  const answers = [1, 2].map((n) => post(100_000).then(({ body }) => ended.push(n) && body));
  await expect.poll(() => turns.length).toBe(2);
  expect(ended).toEqual([]);
  turns[1]?.();
  expect(await answers[1]).toBe('{"length":100000}');
  expect(ended).toEqual([2]);
  turns[0]?.();
  await Promise.all(answers);
});

it('a small body is read at once', async () => {
  const { post, turns } = echo();
  expect((await post(1000)).body).toBe('{"length":1000}');
  expect(turns).toEqual([]);
});
