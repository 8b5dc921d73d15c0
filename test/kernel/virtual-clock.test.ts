import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Alarm, Clock } from '../../src/kernel/clock.js';
import { StuckError } from '../../src/kernel/errors.js';
import { hours, seconds } from '../../src/kernel/time.js';
import { VirtualClock } from '../../src/kernel/virtual-clock.js';
import { clockContract, WORLD_START } from '../contracts/clock.js';

clockContract('VirtualClock', () => new VirtualClock({ start: WORLD_START }));

describe('VirtualClock', () => {
  it('shows the time of an alarm while the alarm runs, and the deadline after the last alarm', async () => {
    const clock = new VirtualClock();
    const seen: number[] = [];
    for (const delay of [0, 1, 1.5, 3_600_000]) clock.after(delay, 'look', () => seen.push(clock.now));
    await clock.runUntil(hours(2));
    expect(seen).toEqual([0, 1, 1.5, 3_600_000]);
    expect(clock.now).toBe(hours(2));
  });

  it('begins on 2026-01-01 by default', () => {
    expect(new Date(new VirtualClock().wall).toISOString()).toBe('2026-01-01T00:00:00.000Z');
  });

  it('does not go back if the deadline is in the past', async () => {
    const clock = new VirtualClock();
    await clock.runUntil(500);
    await clock.runUntil(100);
    expect(clock.now).toBe(500);
  });

  it('runs any program of alarms in the order of a sorted list', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (program) => {
        const clock = new VirtualClock();
        const log = play(program, clock);
        await clock.runUntil(10_000);
        const model = new SortedListClock();
        const expected = play(program, model);
        model.run();
        expect(log).toEqual(expected);
        expect(clock.waiting).toBe(0);
      }),
      { numRuns: 500 },
    );
  });

  it('does not mix up alarms when many are set and cancelled', async () => {
    const clock = new VirtualClock();
    let rounds = 0;
    const again = () => {
      rounds++;
      for (let i = 0; i < 5; i++) clock.after(1, 'cancelled', () => expect.unreachable()).cancel();
      if (rounds < 3000) clock.after(1, 'again', again);
    };
    again();
    await clock.runUntil(5000);
    expect(rounds).toBe(3000);
    expect(clock.waiting).toBe(0);
  });

  it('lets the event loop turn in a long run', async () => {
    const clock = new VirtualClock();
    let ticks = 0;
    const tick = () => {
      ticks++;
      clock.after(1, 'tick', tick);
    };
    tick();
    setImmediate(() => clock.stop(new Error('interrupted')));
    await expect(clock.runUntil(10_000_000)).rejects.toThrow('interrupted');
    expect(ticks).toBeLessThan(100_000);
  });
});

describe('VirtualClock, with holds and limits', () => {
  it('names a hold that never ends', async () => {
    const clock = new VirtualClock({ holdLimit: 5 });
    clock.hold('store commit');
    clock.hold('store commit');
    clock.hold('api request');
    const failure = clock.runUntil(1000);
    await expect(failure).rejects.toThrow('time has been held for 5ms by: store commit (2), api request (1)');
    await expect(failure).rejects.toMatchObject({
      code: 'stuck',
      exit: 4,
      waitsFor: 'store commit (2), api request (1)',
    });
  });

  it('names a hold that never ends in the error of attend', async () => {
    const clock = new VirtualClock({ holdLimit: 5 });
    clock.after(10, 'request', () => clock.hold('datagram to the gateway'));
    await expect(clock.attend(new Promise(() => {}))).rejects.toThrow('datagram to the gateway (1)');
    expect(clock.now).toBe(10);
  });

  it('does not advance while it is held', async () => {
    const clock = new VirtualClock();
    let happened = false;
    clock.after(0, 'alarm', () => {
      happened = true;
    });
    const release = clock.hold('api request');
    const run = clock.runUntil(1000);
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect([happened, clock.now]).toEqual([false, 0]);
    release();
    await run;
    expect([happened, clock.now]).toEqual([true, 1000]);
  });

  it('does not confuse many short holds in a row with a hold that never ends', async () => {
    const clock = new VirtualClock({ holdLimit: 20 });
    let taken = 0;
    // Each hold begins before the previous one ends. Together, they last several times the limit.
    const next = (releaseLast: () => void) => {
      const release = clock.hold(`request ${taken++}`);
      releaseLast();
      setTimeout(() => (taken < 25 ? next(release) : release()), 4);
    };
    next(() => {});
    await clock.runUntil(1000);
    expect(taken).toBe(25);
  });

  it('does not take holds that wait for one another for a hold that never ends', async () => {
    const clock = new VirtualClock({ holdLimit: 20 });
    // All begin at once. Together, they last several times the limit.
    const releases = Array.from({ length: 25 }, (_, i) => clock.hold(`request ${i}`));
    const endNext = () => {
      releases.pop()?.();
      if (releases.length > 0) setTimeout(endNext, 4);
    };
    endNext();
    await clock.runUntil(1000);
    expect(releases).toEqual([]);
  });

  it('wakes all waiters of the same hold', async () => {
    const clock = new VirtualClock({ holdLimit: seconds(1) });
    const release = clock.hold('api request');
    setTimeout(release, 1);
    await Promise.all([clock.runUntil(100), clock.runUntil(200)]);
    expect(clock.now).toBe(200);
  });

  it('stops attending when the work is done, even if other work still holds time', async () => {
    const clock = new VirtualClock({ holdLimit: seconds(1) });
    clock.hold('other work');
    const work = new Promise((resolve) => setTimeout(() => resolve('done'), 1));
    expect(await clock.attend(work)).toBe('done');
  });

  it('can be stopped while it is held', async () => {
    const clock = new VirtualClock({ holdLimit: seconds(1) });
    clock.hold('api request');
    setTimeout(() => clock.stop(new Error('interrupted')), 1);
    await expect(clock.runUntil(1000)).rejects.toThrow('interrupted');
  });

  it('reports a deadlock when work is attended and no alarm is set', async () => {
    const clock = new VirtualClock();
    const failure = clock.attend(new Promise(() => {}));
    await expect(failure).rejects.toThrow('deadlock: all tasks are waiting and no timer is set');
    await expect(failure).rejects.toBeInstanceOf(StuckError);
  });

  it('names the alarm that sets itself again and again without letting time pass', async () => {
    const clock = new VirtualClock({ instantLimit: 100 });
    const again = () => {
      clock.after(0, 'retry at once', again);
    };
    again();
    await expect(clock.runUntil(1000)).rejects.toThrow(
      '100 alarms at the same instant; the last one is "retry at once"',
    );
  });

  it('allows as many alarms as the limit at every instant', async () => {
    const clock = new VirtualClock({ instantLimit: 100 });
    let count = 0;
    for (let i = 0; i < 200; i++) clock.after(i < 100 ? 5 : 6, 'tick', () => count++);
    await clock.runUntil(10);
    expect(count).toBe(200);
  });
});

/** One alarm of a random program. */
interface Step {
  readonly delay: number;
  /** Which alarm sets this one: one of those before it, or the program itself. */
  readonly parent: number;
  /** Which alarm this one cancels, if any has been set under that number. */
  readonly cancels: number | undefined;
}

const step: fc.Arbitrary<Step> = fc.record({
  // Few different delays, so that many alarms are due together.
  delay: fc.constantFrom(0, 0, 1, 2, 3, 50),
  parent: fc.nat(100),
  cancels: fc.option(fc.nat(59), { nil: undefined }),
});

/** Sets the alarms of the program; they write `number@time` into the log, which fills while the clock runs. */
function play(program: readonly Step[], clock: Pick<Clock, 'now' | 'after'>): string[] {
  const log: string[] = [];
  const handles: (Alarm | undefined)[] = [];
  const childrenOf = (parent: number | undefined) =>
    program.flatMap((step, i) => {
      const before = step.parent % (i + 1);
      return (before === i ? undefined : before) === parent ? [i] : [];
    });
  const set = (i: number) => {
    const { delay = 0, cancels } = program[i] ?? {};
    handles[i] = clock.after(delay, `alarm ${i}`, () => {
      log.push(`${i}@${clock.now}`);
      if (cancels !== undefined) handles[cancels]?.cancel();
      for (const child of childrenOf(i)) set(child);
    });
  };
  for (const i of childrenOf(undefined)) set(i);
  return log;
}

/** A simple clock for comparison: a list that is searched for the first alarm due. */
class SortedListClock {
  now = 0;
  #alarms: { readonly due: number; readonly action: () => void }[] = [];

  after(delay: number, _what: string, action: () => void): Alarm {
    const alarm = { due: this.now + delay, action };
    this.#alarms.push(alarm);
    return {
      cancel: () => {
        this.#alarms = this.#alarms.filter((other) => other !== alarm);
      },
    };
  }

  run(): void {
    for (;;) {
      // Sorting is stable: alarms due together stay in the order in which they were set.
      const [first] = this.#alarms.toSorted((a, b) => a.due - b.due);
      if (first === undefined) return;
      this.#alarms = this.#alarms.filter((alarm) => alarm !== first);
      this.now = first.due;
      first.action();
    }
  }
}
