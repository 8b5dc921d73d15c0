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
  it('whose bodies have objects in place of texts is recorded', async () => {
    const odd = { toString: 1, valueOf: 1 };
    const bodies = { session: { fw_bundle: odd, fw_version: odd }, config: [odd], shell: { message_id: odd } };
    const messages = Object.entries(bodies).map(([type, body], i) => message(i + 1, { type, body }));
    expect((await collected(messages)).uplinks).toHaveLength(3);
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
