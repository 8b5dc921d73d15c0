/** Bytes of answers and events that slow clients keep in memory. */
import { expect, it } from 'vitest';
import { Unsent } from '../../../src/cloud/http/unsent.js';

const MB = 1024 * 1024;

/** Counts bytes for clients, and remembers which of them lost their connections. */
function counting(all: number, each: number) {
  const unsent = new Unsent({ all: all * MB, each: each * MB });
  const cut: string[] = [];
  const hold = (tenant: string, client: string, bytes = Buffer.alloc(MB)) =>
    unsent.hold(tenant, bytes, () => cut.push(client));
  return { cut, hold };
}

it('an event that many clients of a tenant receive counts once', () => {
  const { cut, hold } = counting(4, 2);
  const event = Buffer.alloc(MB);
  const held = Array.from({ length: 200 }, (_, n) => hold('ann', `client ${n}`, event));
  for (const release of held) release();
  hold('ann', 'a');
  hold('ann', 'b');
  expect(cut).toEqual([]);
});

it('if too many bytes of a tenant wait, the client that has waited the longest loses its connection', () => {
  const { cut, hold } = counting(100, 2);
  const received = hold('ann', 'first');
  hold('ann', 'second');
  hold('bob', 'of another tenant');
  received();
  hold('ann', 'third');
  expect(cut).toEqual([]);
  hold('ann', 'fourth');
  expect(cut).toEqual(['second']);
});

it('if too many bytes wait in all, it is a client of the tenant with the most', () => {
  const { cut, hold } = counting(3, 2);
  hold('bob', 'bob');
  hold('ann', 'first');
  hold('ann', 'second');
  hold('cid', 'cid');
  expect(cut).toEqual(['first']);
});

it('clients with the same bytes lose their connections until the bytes no longer wait', () => {
  const { cut, hold } = counting(100, 2);
  const event = Buffer.alloc(2 * MB);
  hold('ann', 'first', event);
  hold('ann', 'second', event);
  hold('ann', 'third');
  expect(cut).toEqual(['first', 'second']);
});
