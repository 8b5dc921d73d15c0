/** Requests to another cloud respect its rate limit. */
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../src/client/client.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import { paced } from '../../../src/runner/targets/paced.js';

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
    const gate = paced({ atOnce: 2, perSecond: null }, clock);
    const { request, sentAt } = service(clock, [turnedAway(429, 7000), turnedAway(503, 2000), 'done']);
    expect(await clock.attend(gate(request))).toBe('done');
    expect(sentAt).toEqual([0, 7000, 9000]);
  });

  it('wait as long as an earlier request waits for its repetition', async () => {
    const clock = new VirtualClock();
    const gate = paced({ atOnce: 1, perSecond: null }, clock);
    const { request, sentAt } = service(clock, [turnedAway(429, 5000), 'done']);
    await clock.attend(Promise.all([gate(request), gate(request), gate(request)]));
    expect(sentAt).toEqual([0, 5000, 5000, 5000]);
  });

  it('fail after 20 attempts if the service never accepts them', async () => {
    const clock = new VirtualClock();
    const gate = paced({ atOnce: 1, perSecond: null }, clock);
    const { request, sentAt } = service(clock, [turnedAway(429, 1000)]);
    await expect(clock.attend(gate(request))).rejects.toThrow('answered with 429');
    expect(sentAt).toHaveLength(20);
  });

  it('are not repeated after a 409, or after a 503 without Retry-After', async () => {
    const clock = new VirtualClock();
    const gate = paced({ atOnce: 1, perSecond: null }, clock);
    const { request, sentAt } = service(clock, [turnedAway(409), 'done']);
    await expect(gate(request)).rejects.toThrow('409');
    const without = service(clock, [turnedAway(503), 'done']);
    await expect(gate(without.request)).rejects.toThrow('503');
    expect([...sentAt, ...without.sentAt]).toEqual([0, 0]);
  });

  it('never exceed the limit of concurrent requests', async () => {
    const clock = new VirtualClock();
    const gate = paced({ atOnce: 3, perSecond: null }, clock);
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
});
