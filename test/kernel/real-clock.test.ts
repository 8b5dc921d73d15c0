/** Replaces Node's timers by simulated ones that jump to the next timer, so the tests of a `describe` block need not wait. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RealClock } from '../../src/kernel/real-clock.js';
import { realTimers } from '../../src/kernel/real-timers.js';
import { days, hours } from '../../src/kernel/time.js';
import { clockContract, WORLD_START } from '../contracts/clock.js';

function simulateTimers(): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
    vi.setTimerTickMode('nextTimerAsync');
    vi.spyOn(realTimers, 'setTimeout').mockImplementation((...timer) => setTimeout(...timer));
    vi.spyOn(realTimers, 'clearTimeout').mockImplementation((timer) => clearTimeout(timer));
    vi.spyOn(realTimers, 'now').mockImplementation(() => performance.now());
    vi.spyOn(realTimers, 'wall').mockImplementation(() => Date.now());
  });
  afterEach(() => {
    vi.useRealTimers();
  });
}

describe.each([1, 60])('at speed %d', (speed) => {
  simulateTimers();
  clockContract('RealClock', () => new RealClock({ speed, start: WORLD_START }));
});

describe('RealClock', () => {
  simulateTimers();

  it('lets a simulated hour pass in a minute at speed 60', async () => {
    const clock = new RealClock({ speed: 60 });
    const before = performance.now();
    await clock.runUntil(hours(1));
    expect(performance.now() - before).toBe(60_000);
  });

  it('begins at the present calendar time by default', () => {
    expect(new RealClock().wall).toBe(Date.now());
  });

  it('follows a correction of the system clock only with `followsSystem`; alarms never follow it', async () => {
    const [steady, following] = [new RealClock(), new RealClock({ followsSystem: true })];
    const before = Date.now();
    vi.setSystemTime(before - hours(1));
    expect([steady.wall, following.wall]).toEqual([before, before - hours(1)]);
    const reached = following.runUntil(hours(2));
    await vi.advanceTimersByTimeAsync(hours(2));
    await reached;
    expect(following.now).toBe(hours(2));
  });

  it.each([0, -1, Number.NaN])('rejects a speed of %s', (speed) => {
    expect(() => new RealClock({ speed })).toThrow('speed must be more than 0');
  });

  it('sets no timer longer than 2^31-1 ms, which Node would fire at once', () => {
    // `setTimeout` gets no spy: restoring spies after the test would put the simulated timers in place of Node's.
    const simulated = globalThis.setTimeout;
    const delays: (number | undefined)[] = [];
    vi.stubGlobal('setTimeout', (action: () => void, delay?: number) => {
      delays.push(delay);
      return simulated(action, delay);
    });
    new RealClock().after(days(60), 'in two months', () => {});
    vi.unstubAllGlobals();
    expect(delays).toEqual([2_147_483_647]);
  });

  it('keeps one timer, however many alarms wait', () => {
    const clock = new RealClock();
    for (let i = 100; i > 0; i--) clock.after(i * 10, 'tick', () => {});
    expect(vi.getTimerCount()).toBe(1);
  });

  it('does not keep the process alive for cancelled alarms', () => {
    const clock = new RealClock();
    const alarms = [days(1), days(2)].map((delay) => clock.after(delay, 'retry', () => {}));
    for (const alarm of alarms) alarm.cancel();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('interrupts every pending attend and runUntil when it is stopped', async () => {
    const clock = new RealClock();
    const waiting = [clock.attend(new Promise(() => {})), clock.runUntil(hours(1))];
    clock.stop(new Error('interrupted'));
    for (const wait of waiting) await expect(wait).rejects.toThrow('interrupted');
  });

  it('throws the error of an alarm to the process if no attend is pending', async () => {
    const clock = new RealClock();
    await clock.attend(Promise.resolve());
    vi.setTimerTickMode('manual');
    clock.after(10, 'bad', () => {
      throw new Error('alarm failed');
    });
    expect(() => vi.advanceTimersByTime(10)).toThrow('alarm failed');
  });
});

it('RealClock lets the event loop turn between alarms that have no delay', async () => {
  const clock = new RealClock();
  let turned = false;
  let rounds = 0;
  await clock.attend(
    new Promise<void>((resolve) => {
      const again = () => {
        rounds++;
        if (turned || rounds > 100_000) resolve();
        else clock.after(0, 'again', again);
      };
      // The chain begins inside an alarm, before the event loop can turn.
      clock.after(0, 'begin', () => {
        setImmediate(() => {
          turned = true;
        });
        again();
      });
    }),
  );
  expect(turned).toBe(true);
});

it('a step of a paused RealClock does not perform alarms that are set during the step', () => {
  const clock = new RealClock();
  clock.pause();
  let rounds = 0;
  const again = () => {
    if (++rounds < 100) clock.after(0, 'again', again);
  };
  const other = vi.fn();
  clock.after(5, 'begin', again);
  clock.after(5, 'other', other);
  clock.step();
  expect([rounds, other.mock.calls.length]).toEqual([1, 1]);
  clock.step();
  expect(rounds).toBe(2);
});

it('RealClock keeps the order of alarms on real timers', async () => {
  // The clock is frozen until `begin`, so that all delays begin at the same time.
  const clock = new RealClock({ speed: 1000, frozen: true });
  const happened: number[] = [];
  for (const delay of [4000, 0, 2000, 2000, 6000, 1000]) clock.after(delay, 'note', () => happened.push(delay));
  clock.begin();
  await clock.runUntil(7000);
  expect(happened).toEqual([0, 1000, 2000, 2000, 4000, 6000]);
});
