/** What `record` makes of the pages of a service. */
import { describe, expect, it } from 'vitest';
import type { Message } from '../../src/client/client.js';
import { collect } from '../../src/record/collect.js';
import { FROM, message } from './fixtures.js';

/** Reads a history whose pages are these. The cast is safe because a service may answer anything. */
function collected(...pages: readonly (readonly unknown[])[]) {
  const rest = [...pages];
  const api = { messages: async () => (rest.shift() ?? []) as readonly Message[] };
  const window = { after: FROM, before: FROM + 3_600_000, signal: new AbortController().signal };
  return collect(api, { ...window, speed: 1, bodies: true, typeOf: () => undefined });
}

describe('a history', () => {
  it.each([
    ['only an id', { id: 'a' }],
    ['no device', { ...message(1), device_id: undefined }],
    ['a time that is not one', { ...message(1), created_at: 'soon' }],
    ['a time of another type', { ...message(1), created_at: 5 }],
    ['a direction of another type', { ...message(1), direction: {} }],
    ['a raw body of another type', { ...message(1), raw: [] }],
    ['an invalid time of its state', { ...message(1, { direction: 'down' }), down_state_at: 'x' }],
  ])('with a message that has %s is rejected', async (_, wrong) => {
    await expect(collected([message(2), wrong])).rejects.toThrow('the answer is not a list of messages');
  });

  it('whose messages have no body and no raw body is recorded', async () => {
    const { body: _, raw: _raw, ...bare } = message(1);
    expect((await collected([bare])).uplinks).toMatchObject([{ size: 0 }]);
  });

  it('may have pages of 300,000 messages', async () => {
    const one = message(1);
    const page = Array.from({ length: 300_000 }, (_, i) => ({ ...one, id: String(i) }));
    expect((await collected(page)).uplinks).toHaveLength(300_000);
  });
});
