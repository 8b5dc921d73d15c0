/** The feed of events in a tab that is hidden and shown again. */
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConnectionError, type DeviceCloudClient, type EventQuery } from '../../src/client/client.js';
import { AGAIN } from '../../web/src/api/answering.js';
import { followVisibility, GRACE } from '../../web/src/api/shown.js';
import { Feed } from '../../web/src/model/feed.js';

/** A document that a test shows and hides. */
function stage(visibilityState = 'visible') {
  let listener = () => {};
  const page = {
    visibilityState,
    addEventListener: (_: string, each: () => void) => {
      listener = each;
    },
  };
  followVisibility(page);
  return async (state: 'visible' | 'hidden') => {
    page.visibilityState = state;
    listener();
    await turn();
  };
}

/**
 * A client with streams that stay open.
 * @param ids ids of the events of each stream
 * @param failures errors of the first streams
 */
function client(ids: readonly string[], failures: readonly Error[] = []) {
  const left = [...failures];
  const queries: EventQuery[] = [];
  async function* events(query: EventQuery) {
    queries.push(query);
    const failure = left.shift();
    if (failure) throw failure;
    query.onOpen?.(query.after !== undefined);
    for (const id of ids) yield { id, event: 'message', data: {} };
    await new Promise((resolve) => query.signal?.addEventListener('abort', resolve));
  }
  const open = () => queries.filter(({ signal }) => signal?.aborted === false).length;
  // The cast is safe because the feed needs only this request.
  return { queries, open, client: { events } as unknown as DeviceCloudClient };
}

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => vi.useRealTimers());

describe('the feed of events', () => {
  it('closes its stream a few seconds after the tab was hidden, and resumes it after the last received event', async () => {
    const show = stage();
    const { queries, open, ...rest } = client(['e1', 'e2']);
    const feed = new Feed(rest.client);
    const opened: boolean[] = [];
    const following = feed.follow((resumed) => opened.push(resumed));
    await turn();
    await show('hidden');
    vi.advanceTimersByTime(GRACE - 1);
    await show('visible');
    vi.advanceTimersByTime(GRACE);
    expect(open()).toBe(1);
    await show('hidden');
    vi.advanceTimersByTime(GRACE);
    await turn();
    expect(open()).toBe(0);
    await show('visible');
    expect(queries.map(({ after }) => after)).toEqual([undefined, 'e2']);
    expect(opened).toEqual([false, true]);
    feed.close();
    await following;
    expect(open()).toBe(0);
  });

  it('opens no stream in a tab that was opened in the background', async () => {
    const show = stage('hidden');
    const { queries, ...rest } = client([]);
    const feed = new Feed(rest.client);
    void feed.follow(() => {});
    await turn();
    expect(queries).toEqual([]);
    await show('visible');
    expect(queries).toHaveLength(1);
    feed.close();
  });

  it('resets its listeners if the tab was hidden before any event arrived', async () => {
    const show = stage();
    const feed = new Feed(client([]).client);
    const reset = vi.fn();
    feed.listen({ reset });
    void feed.follow(() => {});
    await turn();
    expect(reset).not.toHaveBeenCalled();
    await show('hidden');
    vi.advanceTimersByTime(GRACE);
    await show('visible');
    expect(reset).toHaveBeenCalledOnce();
    feed.close();
  });

  it('connects again even if the first connection of a stream fails', async () => {
    stage();
    const failure = new ConnectionError(new Error('no network'), 'http://127.0.0.1', 'GET', '/events');
    const { queries, ...rest } = client([], [failure]);
    const feed = new Feed(rest.client);
    void feed.follow(() => {});
    await turn();
    vi.advanceTimersByTime(AGAIN);
    await turn();
    expect(queries).toHaveLength(2);
    feed.close();
  });
});
