/** A service that answers too slowly cannot keep a run from ending. */
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../src/client/client.js';
import type { Millis } from '../../../src/kernel/time.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import { Budget } from '../../../src/runner/targets/budget.js';
import { makeGate, type Pace, RunPatience } from '../../../src/runner/targets/paced.js';

/** Sends `count` requests, each answered after `takes`, in the work after a run; returns the number of answers and the time. */
async function outcome(
  count: number,
  takes: Millis,
  { pace = ONE, begin = ends }: { pace?: Pace; begin?: (patience: RunPatience) => void } = {},
) {
  const clock = new VirtualClock({ start: 0 });
  const patience = new RunPatience(undefined, pace, clock);
  const gate = makeGate(pace, clock, patience);
  begin(patience);
  const requests = Array.from({ length: count }, () =>
    gate(
      (signal) =>
        new Promise<void>((resolve, reject) => {
          const fail = () => reject(signal?.reason);
          if (signal?.aborted) return fail();
          clock.after(takes, 'an answer', resolve);
          signal?.addEventListener('abort', fail);
        }),
    ),
  );
  const ended = await clock.attend(Promise.allSettled(requests));
  patience.close();
  const failures = ended.flatMap((end) => (end.status === 'rejected' ? [String(end.reason)] : []));
  return { answers: count - failures.length, at: clock.now, why: failures[0] };
}

const ends = (patience: RunPatience) => {
  patience.runBegins();
  patience.runEnds();
};
const ONE: Pace = { atOnce: 1, perSecond: null };
const HOURS = 3_600_000;

it('before a run, requests that are never answered end after a minute', async () => {
  expect(await outcome(50, 5 * HOURS, { begin: () => {} })).toMatchObject({ answers: 0, at: 60_000 });
});

describe('after the end of a run, requests', () => {
  it.each([1, 1000])('that are never answered end after a minute: %i', async (count) => {
    expect(await outcome(count, 5 * HOURS, { pace: { atOnce: 16, perSecond: null } })).toEqual({
      answers: 0,
      at: 60_000,
      why: 'Error: the service answers too slowly (limit: 1m, and 2s for each answer)',
    });
  });

  it('have enough time if an answer takes less than two seconds', async () => {
    expect(await outcome(100, 1900)).toEqual({ answers: 100, at: 190_000, why: undefined });
  });

  it('end if answers come, but take longer on average', async () => {
    // Two answers at 25 s and 50 s give 4 s more, which end before the third answer.
    expect(await outcome(100, 25_000)).toMatchObject({ answers: 2, at: 64_000 });
  });

  it('have enough time at a low --rate', async () => {
    const clock = new VirtualClock({ start: 0 });
    const budget = new Budget(clock, 0.1);
    budget.begin();
    for (let answers = 1; answers <= 20; answers++) {
      await clock.runUntil(10_000 * answers);
      budget.answered();
    }
    expect(budget.signal.aborted).toBe(false);
    budget.end();
  });

  it('of the clean-up have a minute of their own', async () => {
    const begin = (patience: RunPatience) => {
      ends(patience);
      patience.beginCleanUp();
    };
    expect(await outcome(3, 19_000, { begin })).toMatchObject({ answers: 3 });
  });
});

it('during a run, requests have no common limit', async () => {
  expect(await outcome(3, HOURS, { begin: (patience) => patience.runBegins() })).toMatchObject({ answers: 3 });
});

it('the time that a service asks to wait does not count', async () => {
  const clock = new VirtualClock({ start: 0 });
  const patience = new RunPatience(undefined, ONE, clock);
  const gate = makeGate(ONE, clock, patience);
  patience.beginCleanUp();
  let asked = 0;
  const request = async (signal?: AbortSignal) => {
    signal?.throwIfAborted();
    if (++asked < 4) throw new ApiError(429, 'later', 'GET', '/v2', 100_000);
    return 'done';
  };
  expect(await clock.attend(gate(request))).toBe('done');
  patience.close();
});
