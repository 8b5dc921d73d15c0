/** Events as they arrive: in pieces, and with every kind of line end. */
import { expect, it } from 'vitest';
import { followEvents } from '../../src/client/event-stream.js';

const EVENT = 'id: 7\nevent: message\ndata: {"body":\ndata: 1}\n\n';

/** The events of a stream that arrives in these pieces. */
async function eventsOf(pieces: readonly string[]): Promise<readonly unknown[]> {
  const stop = new AbortController();
  const seen: unknown[] = [];
  async function* open() {
    yield* ['event: hello\ndata: {}\n\n', ...pieces, 'event: last\ndata: {}\n\n'];
  }
  for await (const event of followEvents(open, { signal: stop.signal })) {
    if ((event as { readonly event: string }).event === 'last') break;
    seen.push(event);
  }
  return seen;
}

it.each([['\n'], ['\r\n'], ['\r']])('an event with lines that end with %j arrives, however it is cut', async (end) => {
  const text = EVENT.replaceAll('\n', end);
  const wanted = [{ id: '7', event: 'message', data: { body: 1 } }];
  expect(await eventsOf([text])).toEqual(wanted);
  expect(await eventsOf([...text])).toEqual(wanted);
});

it('an event keeps the line separators of Unicode in its texts', async () => {
  const data = { name: 'one\u2028two\u2029three' };
  const text = `id: 7\nevent: message\ndata: ${JSON.stringify(data)}\n\n`;
  expect(await eventsOf([text])).toEqual([{ id: '7', event: 'message', data }]);
});

// A reader that looks through the whole event for each of its pieces takes minutes.
it('a long event in very many pieces arrives', async () => {
  const data = { a: 'x'.repeat(3_900_000) + 'y'.repeat(20_000) };
  const text = `event: message\ndata: ${JSON.stringify(data)}\n\n`;
  const [begin, end] = [text.slice(0, -20_004), text.slice(-20_004)];
  expect(await eventsOf([begin, ...end])).toEqual([{ id: '', event: 'message', data }]);
});
