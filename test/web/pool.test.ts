/** Connections of the console to a service that does not answer. */
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AGAIN, isAnswering, recoveries } from '../../web/src/api/answering.js';
import { Client, connection, PATIENCE, Pool } from '../../web/src/api/pool.js';

const READ = { method: 'GET', path: '/v2/spaces/s/tags', headers: {} };
const PROBE = 'v2/spaces?limit=1';
const LIMITS = { headersTimeout: 30_000, bodyTimeout: 45_000 };

/** The requested addresses. While `isStill` is true, the service accepts requests and answers none. */
let asked: string[] = [];
let isStill = false;

/** Replaces `fetch`. @param body returns the body of an answer, which must fail when the request is aborted, as in a browser */
function serve(body: (signal: AbortSignal) => string | ReadableStream = () => '[]'): void {
  asked = [];
  isStill = false;
  vi.stubGlobal('fetch', (address: string, { signal }: { readonly signal: AbortSignal }) => {
    asked.push(address);
    return new Promise<Response>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
      if (!isStill) resolve(new Response(body(signal)));
    });
  });
}

async function pass(time: number): Promise<void> {
  vi.advanceTimersByTime(time);
  await turn();
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  // The real `AbortSignal.timeout` uses real time.
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((time) => {
    const ending = new AbortController();
    setTimeout(() => ending.abort(new Error('timeout')), time);
    return ending.signal;
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe('a service that does not answer', () => {
  it('is noticed through a request without an answer, and so is its recovery', async () => {
    serve();
    isStill = true;
    const before = recoveries.value;
    const failed = expect(new Pool('').request(READ)).rejects.toThrow();
    await pass(PATIENCE - 1);
    expect(asked).toEqual([READ.path]);
    await pass(1);
    expect(asked).toEqual([READ.path, PROBE]);
    expect(isAnswering.value).toBe(true);
    await pass(10_000);
    expect(isAnswering.value).toBe(false);
    isStill = false;
    await pass(AGAIN);
    expect(isAnswering.value).toBe(true);
    expect(recoveries.value).toBe(before + 1);
    await pass(10_000);
    await failed;
  });

  it('is not assumed because of a request that may take as long as a run, and this request is not ended', async () => {
    serve();
    isStill = true;
    const ended = vi.fn();
    new Pool('').request({ ...READ, method: 'POST', path: '/run/comparisons' }).then(ended, ended);
    isStill = false;
    await pass(600_000);
    expect(asked).toContain(PROBE);
    expect(isAnswering.value).toBe(true);
    expect(ended).not.toHaveBeenCalled();
  });

  it('is noticed through a stream without signs of life', async () => {
    let send = () => {};
    serve((signal) => {
      const start = (to: ReadableStreamDefaultController) => {
        signal.addEventListener('abort', () => to.error(signal.reason));
        send = () => to.enqueue(new TextEncoder().encode(':\n\n'));
      };
      return new ReadableStream({ start });
    });
    const client = new Client('', LIMITS);
    const { body } = await client.request({ ...READ, path: '/events' });
    const pieces = body[Symbol.asyncIterator]();
    const first = pieces.next();
    await pass(40_000);
    send();
    expect((await first).done).toBe(false);
    const second = expect(pieces.next()).rejects.toThrow();
    await pass(40_000);
    expect(asked).not.toContain(PROBE);
    expect(connection.value).toBe('live');
    await pass(5_000);
    await client.destroy();
    await second;
    expect(asked).toContain(PROBE);
    expect(connection.value).toBe('lost');
  });
});
