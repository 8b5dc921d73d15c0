/** Requests to another cloud respect its rate limit. */
import { describe, expect, it } from 'vitest';
import { ApiError, ConnectionError } from '../../../src/client/client.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import { makeGate, type RequestWait, RunPatience } from '../../../src/runner/targets/paced.js';

const turnedAway = (status: number, retryAfter?: number) => new ApiError(status, 'later', 'GET', '/v2', retryAfter);

/** A service that gives these answers one after another, and records when each request was sent. */
function service(clock: VirtualClock, answers: readonly (string | Error)[]) {
  const sentAt: number[] = [];
  const request = async () => {
    const answer = answers[Math.min(sentAt.length, answers.length - 1)];
    sentAt.push(clock.now);
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { sentAt, request };
}

describe('paced requests', () => {
  it('are repeated after the time in Retry-After', async () => {
    const clock = new VirtualClock();
    const gate = makeGate({ atOnce: 2, perSecond: null }, clock);
    const { request, sentAt } = service(clock, [turnedAway(429, 7000), turnedAway(503, 2000), 'done']);
    expect(await clock.attend(gate(request))).toBe('done');
    expect(sentAt).toEqual([0, 7000, 9000]);
  });

  it.each([
    [429, 600_001],
    [429, 86_400_000],
    [503, 3_600_000],
  ])('fail at once if the service asks to wait for more than 10 min: %i, %i ms', async (status, asked) => {
    const clock = new VirtualClock();
    const said: (RequestWait | undefined)[] = [];
    const gate = makeGate({ atOnce: 1, perSecond: null }, clock, { waits: (wait) => void said.push(wait) });
    const { request, sentAt } = service(clock, [turnedAway(status, asked)]);
    await expect(clock.attend(gate(request))).rejects.toThrow(/asks to wait .*, so it is not usable now/);
    expect({ sentAt, said }).toEqual({ sentAt: [0], said: [] });
  });

  it('wait if the service asks for 10 min', async () => {
    const clock = new VirtualClock();
    const gate = makeGate({ atOnce: 1, perSecond: null }, clock);
    const { request, sentAt } = service(clock, [turnedAway(429, 600_000), 'done']);
    await clock.attend(gate(request));
    expect(sentAt).toEqual([0, 600_000]);
  });

  it('say whether it is the clean-up that waits', async () => {
    const clock = new VirtualClock();
    const said: (boolean | undefined)[] = [];
    const patience = new RunPatience((wait) => wait && void said.push(wait.cleansUp));
    const gate = makeGate({ atOnce: 1, perSecond: null }, clock, patience);
    await clock.attend(gate(service(clock, [turnedAway(429, 5000), 'done']).request));
    patience.beginCleanUp();
    await clock.attend(gate(service(clock, [turnedAway(429, 5000), 'done']).request));
    expect(said).toEqual([undefined, true]);
  });

  it('wait as long as an earlier request waits for its repetition', async () => {
    const clock = new VirtualClock();
    const gate = makeGate({ atOnce: 1, perSecond: null }, clock);
    const { request, sentAt } = service(clock, [turnedAway(429, 5000), 'done']);
    await clock.attend(Promise.all([gate(request), gate(request), gate(request)]));
    expect(sentAt).toEqual([0, 5000, 5000, 5000]);
  });

  it('fail after 20 attempts if the service never accepts them', async () => {
    const clock = new VirtualClock();
    const gate = makeGate({ atOnce: 1, perSecond: null }, clock);
    const { request, sentAt } = service(clock, [turnedAway(429, 1000)]);
    await expect(clock.attend(gate(request))).rejects.toThrow('answered with 429');
    expect(sentAt).toHaveLength(20);
  });

  it.each([
    ['GET', 'ECONNRESET', 1, 'done'],
    ['GET', 'UND_ERR_SOCKET', 4, 'done'],
    ['GET', 'ECONNRESET', 5, 'got no answer'],
    ['GET', 'ECONNREFUSED', 1, 'got no answer'],
    ['PUT', 'UND_ERR_SOCKET', 1, 'done'],
    ['DELETE', 'EPIPE', 1, 'done'],
    ['POST', 'ECONNRESET', 1, 'got no answer'],
  ])(
    'with the method %s and connections that fail with %s, %i times, end with: %s',
    async (method, code, times, end) => {
      const broken = new ConnectionError(Object.assign(new Error('broken'), { code }), 'http://c', method, '/v2');
      const { request } = service(new VirtualClock(), [...Array.from({ length: times }, () => broken), 'done']);
      const gate = makeGate({ atOnce: 1, perSecond: null }, new VirtualClock());
      expect(String(await gate(request).catch((error: unknown) => error))).toContain(end);
    },
  );

  it('are not repeated after a 409, or after a 503 without Retry-After', async () => {
    const clock = new VirtualClock();
    const gate = makeGate({ atOnce: 1, perSecond: null }, clock);
    const { request, sentAt } = service(clock, [turnedAway(409), 'done']);
    await expect(gate(request)).rejects.toThrow('409');
    const without = service(clock, [turnedAway(503), 'done']);
    await expect(gate(without.request)).rejects.toThrow('503');
    expect([...sentAt, ...without.sentAt]).toEqual([0, 0]);
  });

  it('never exceed the limit of concurrent requests', async () => {
    const clock = new VirtualClock();
    const gate = makeGate({ atOnce: 3, perSecond: null }, clock);
    let [underWay, most] = [0, 0];
    const request = () =>
      new Promise<void>((resolve) => {
        most = Math.max(most, ++underWay);
        clock.after(100, 'an answer', () => {
          underWay--;
          resolve();
        });
      });
    await clock.attend(Promise.all(Array.from({ length: 10 }, () => gate(request))));
    expect(most).toBe(3);
  });

  it.each([
    [2.5, 150],
    [1.5, 90],
    [1.01, 61],
    [0.7, 42],
    [2, 120],
  ])('at a rate of %d a second are at most %d in a minute', async (perSecond, most) => {
    const clock = new VirtualClock();
    const gate = makeGate({ atOnce: 16, perSecond }, clock);
    const { request, sentAt } = service(clock, ['done']);
    await clock.attend(Promise.all(Array.from({ length: 200 }, () => gate(request))));
    const sent = sentAt.filter((at) => at < 60_000).length;
    expect(sent).toBeLessThanOrEqual(most);
    expect(sent).toBeGreaterThanOrEqual(most - 2);
    const busiest = sentAt.map((at) => sentAt.filter((other) => other >= at && other < at + 1000).length);
    expect(Math.max(...busiest)).toBe(Math.ceil(perSecond));
  });

  it('are within the limit of a second also when all of them are repeated', async () => {
    const clock = new VirtualClock();
    const gate = makeGate({ atOnce: 16, perSecond: 4 }, clock);
    const all = Array.from({ length: 16 }, () => service(clock, [turnedAway(429, 9000), 'done']));
    await clock.attend(Promise.all(all.map(({ request }) => gate(request))));
    const sentAt = all.flatMap((one) => one.sentAt).sort((a, b) => a - b);
    expect(sentAt).toHaveLength(32);
    const gaps = sentAt.slice(4).map((at, index) => at - (sentAt[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1000);
  });

  it('announce a wait at once, and that they go on', async () => {
    const clock = new VirtualClock();
    const said: (readonly [number, RequestWait | undefined])[] = [];
    const waits = (wait: RequestWait | undefined) => void said.push([clock.now, wait]);
    const gate = makeGate({ atOnce: 3, perSecond: null }, clock, { waits });
    const one = service(clock, [turnedAway(429, 61_000), 'done']);
    const other = service(clock, [turnedAway(503, 5000), 'done']);
    await clock.attend(Promise.all([gate(one.request), gate(other.request)]));
    expect(said).toEqual([
      [0, { status: 429, delay: 61_000 }],
      [61_000, undefined],
    ]);
  });

  it('fail at once when their wait is ended', async () => {
    const clock = new VirtualClock();
    const patience = new RunPatience();
    const gate = makeGate({ atOnce: 1, perSecond: null }, clock, patience);
    const { request, sentAt } = service(clock, [turnedAway(429, 500_000)]);
    const both = Promise.allSettled([gate(request), gate(request)]);
    clock.after(1000, 'Ctrl-C', () => patience.end(new Error('interrupted')));
    expect((await clock.attend(both)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(sentAt).toEqual([0, 1000]);
    expect(clock.waiting).toBe(0);
  });

  it('of a clean-up wait although the run was interrupted, until the next interrupt', async () => {
    const clock = new VirtualClock();
    const patience = new RunPatience();
    const gate = makeGate({ atOnce: 1, perSecond: null }, clock, patience);
    patience.end(new Error('interrupted'));
    patience.beginCleanUp();
    const removed = service(clock, [turnedAway(429, 5000), 'done']);
    expect(await clock.attend(gate(removed.request))).toBe('done');
    const stuck = service(clock, [turnedAway(429, 5000)]);
    const waiting = Promise.allSettled([gate(stuck.request)]);
    clock.after(1000, 'Ctrl-C', () => patience.end(new Error('interrupted')));
    expect(await clock.attend(waiting)).toMatchObject([{ status: 'rejected' }]);
    expect(clock.now).toBe(6000);
  });
});
