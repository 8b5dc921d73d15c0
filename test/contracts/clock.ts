/**
 * The contract of every driven clock, with simulated or real time.
 *
 * Clocks are created with the calendar start {@link WORLD_START}. No test measures durations.
 */
import { describe, expect, it, vi } from 'vitest';
import { AlarmHeap } from '../../src/kernel/alarm-heap.js';
import type { Alarm, DrivenClock } from '../../src/kernel/clock.js';
import { days, seconds } from '../../src/kernel/time.js';

export const WORLD_START = Date.UTC(2026, 0, 1);

export function clockContract(name: string, makeClock: () => DrivenClock): void {
  /** A clock with a list of what happened; `set` adds an alarm that writes its name into the list. */
  function fixture() {
    const clock = makeClock();
    const happened: string[] = [];
    const set = (delay: number, what: string) => clock.after(delay, what, () => happened.push(what));
    return { clock, happened, set };
  }

  describe(`${name} as a clock`, () => {
    it('runs alarms in the order in which they are due', async () => {
      const { clock, happened, set } = fixture();
      set(300, 'late');
      set(100, 'early');
      set(200, 'middle');
      await clock.runUntil(300);
      expect(happened).toEqual(['early', 'middle', 'late']);
    });

    it('runs alarms that are due together in the order in which they were set', async () => {
      const { clock, happened, set } = fixture();
      const names = Array.from({ length: 50 }, (_, i) => `alarm ${i}`);
      for (const what of names) set(100, what);
      await clock.runUntil(100);
      expect(happened).toEqual(names);
    });

    it('wakes an object instead of calling a function', async () => {
      const { clock, happened, set } = fixture();
      const sleeper = {
        naps: 2,
        wake() {
          happened.push('woken');
          if (--this.naps > 0) clock.after(100, 'sleeper', this);
        },
      };
      clock.after(100, 'sleeper', sleeper);
      set(150, 'between');
      clock.after(120, 'sleeper', sleeper).cancel();
      await clock.runUntil(400);
      expect(happened).toEqual(['woken', 'between', 'woken']);
    });

    it('never runs an alarm before it is due', async () => {
      const { clock } = fixture();
      const early: number[] = [];
      for (const delay of [0, 1, 59, 60, 61, 1000]) {
        const due = clock.now + delay;
        clock.after(delay, 'check', () => {
          if (clock.now < due) early.push(delay);
        });
      }
      await clock.runUntil(1000);
      expect(early).toEqual([]);
      expect(clock.waiting).toBe(0);
    });

    it('runs alarms that an alarm sets', async () => {
      const { clock, happened, set } = fixture();
      clock.after(100, 'parent', () => {
        happened.push('parent');
        set(200, 'child');
      });
      set(200, 'between');
      await clock.runUntil(400);
      expect(happened).toEqual(['parent', 'between', 'child']);
    });

    it('runs an alarm without delay after those that were already due', async () => {
      const { clock, happened, set } = fixture();
      clock.after(100, 'first', () => {
        happened.push('first');
        set(0, 'at once');
      });
      set(100, 'second');
      await clock.runUntil(200);
      expect(happened).toEqual(['first', 'second', 'at once']);
    });

    it('does not run a cancelled alarm', async () => {
      const { clock, happened, set } = fixture();
      const alarm = set(100, 'cancelled');
      set(200, 'kept');
      alarm.cancel();
      alarm.cancel();
      await clock.runUntil(300);
      expect(happened).toEqual(['kept']);
    });

    it('does not run an alarm that another alarm of the same moment cancels', async () => {
      const { clock, happened, set } = fixture();
      clock.after(100, 'canceller', () => victim.cancel());
      const victim = set(100, 'victim');
      await clock.runUntil(200);
      expect(happened).toEqual([]);
    });

    it('runs the remaining alarms in order if most alarms were cancelled, even twice', async () => {
      const clock = makeClock();
      const seen: number[] = [];
      const set = (n: number): Alarm => clock.after((n * 7919) % 613, 'look', () => seen.push(n));
      const numbers = Array.from({ length: 9000 }, (_, n) => n);
      const alarms = numbers.map(set);
      for (const n of numbers) if (n % 9 > 0) alarms[n]?.cancel();
      expect(clock.waiting).toBe(1000);
      // The new alarms reuse the slots of cancelled alarms. The old handles must not cancel the new alarms.
      const late = numbers.slice(0, 4000).map((n) => n + 9000);
      for (const n of late) set(n);
      for (const n of numbers) if (n % 9 > 0) alarms[n]?.cancel();
      await clock.runUntil(1000);
      const due = (n: number): number => (n * 7919) % 613;
      expect(seen).toEqual([...numbers.filter((n) => n % 9 === 0), ...late].toSorted((a, b) => due(a) - due(b)));
    });

    it('keeps only few cancelled alarms in memory, even those due in the far future', () => {
      const { clock, set } = fixture();
      const pushed = vi.spyOn(AlarmHeap.prototype, 'push');
      set(days(2), 'waits');
      for (let i = 0; i < 10_000; i++) set(days(1), 'cancelled').cancel();
      // The cast is safe because the mock replaces a method of the heap.
      const heap = pushed.mock.contexts[0] as AlarmHeap;
      pushed.mockRestore();
      expect(clock.waiting).toBe(1);
      expect(heap.size).toBeLessThan(2000);
    });

    it('ignores the handle of an alarm that has run', async () => {
      const { clock, happened, set } = fixture();
      const old = set(100, 'old');
      await clock.runUntil(150);
      set(100, 'new');
      old.cancel();
      expect(clock.waiting).toBe(1);
      await clock.runUntil(400);
      expect(happened).toEqual(['old', 'new']);
    });

    it('counts the alarms that have not run', async () => {
      const { clock, set } = fixture();
      set(100, 'one');
      set(500, 'two');
      const three = set(500, 'three');
      expect(clock.waiting).toBe(3);
      three.cancel();
      expect(clock.waiting).toBe(2);
      await clock.runUntil(200);
      expect(clock.waiting).toBe(1);
    });

    it.each([-1, Number.NaN])('rejects a delay of %s and names the alarm', (delay) => {
      const { clock, set } = fixture();
      expect(() => set(delay, 'battery check')).toThrow(/delay of 0 ms or more.*battery check/);
      expect(clock.waiting).toBe(0);
    });

    it('has simulated and calendar time that never go back and correspond to each other', async () => {
      const { clock } = fixture();
      const seen: [number, number][] = [[clock.now, clock.wall]];
      for (const delay of [0, 100, 100, 250, 999]) {
        clock.after(delay, 'look', () => seen.push([clock.now, clock.wall]));
      }
      await clock.runUntil(1000);
      seen.push([clock.now, clock.wall]);
      expect(seen).toEqual([...seen].sort((a, b) => a[0] - b[0] || a[1] - b[1]));
      for (const [now, wall] of seen) {
        expect(Number.isInteger(wall)).toBe(true);
        // A clock with real time advances between the reads of `now` and `wall`.
        expect(wall - WORLD_START).toBeGreaterThanOrEqual(Math.floor(now));
        expect(wall - WORLD_START - now).toBeLessThan(seconds(60));
      }
    });

    it('stops at the deadline, after the alarms of that moment and before later ones', async () => {
      const { clock, happened, set } = fixture();
      set(1000, 'at the deadline');
      set(days(1), 'later');
      await clock.runUntil(1000);
      expect(clock.now).toBeGreaterThanOrEqual(1000);
      expect(happened).toEqual(['at the deadline']);
    });

    it('supports delays of more than 2^31-1 ms', async () => {
      const { clock, happened, set } = fixture();
      set(3_000_000_000, 'in 35 days');
      await clock.runUntil(2_999_990_000);
      expect(happened).toEqual([]);
      await clock.runUntil(3_000_000_001);
      expect(happened).toEqual(['in 35 days']);
    });

    it('lets time pass until the attended work is done, and returns its result', async () => {
      const { clock } = fixture();
      const wait = (delay: number) => new Promise<void>((resolve) => clock.after(delay, 'wait', resolve));
      const work = async () => {
        await wait(1000);
        await wait(2000);
        return 'result';
      };
      expect(await clock.attend(work())).toBe('result');
      expect(clock.now).toBeGreaterThanOrEqual(3000);
    });

    it('rejects with the error of the attended work', async () => {
      const { clock } = fixture();
      const work = new Promise((_, reject) => clock.after(100, 'fail', () => reject(new Error('no carrier'))));
      await expect(clock.attend(work)).rejects.toThrow('no carrier');
    });

    it('rejects a run or attended work with the error of an alarm', async () => {
      const { clock } = fixture();
      const fail = () => {
        throw new Error('alarm failed');
      };
      clock.after(100, 'bad', fail);
      await expect(clock.runUntil(1000)).rejects.toThrow('alarm failed');
      clock.after(100, 'bad', fail);
      await expect(clock.attend(new Promise(() => {}))).rejects.toThrow('alarm failed');
    });

    it('when stopped, rejects a run with the given error, and stays stopped', async () => {
      const { clock, happened, set } = fixture();
      clock.after(100, 'Ctrl-C', () => clock.stop(new Error('interrupted')));
      set(500, 'never');
      await expect(clock.runUntil(1000)).rejects.toThrow('interrupted');
      await expect(clock.runUntil(2000)).rejects.toThrow('interrupted');
      expect(happened).toEqual([]);
    });

    it('when stopped, rejects attended work with the given error', async () => {
      const { clock, set } = fixture();
      set(days(1), 'much later');
      clock.after(100, 'Ctrl-C', () => clock.stop(new Error('interrupted')));
      await expect(clock.attend(new Promise(() => {}))).rejects.toThrow('interrupted');
    });

    it('continues after a hold is released, even if it is released twice', async () => {
      const { clock, happened, set } = fixture();
      set(100, 'after the hold');
      const release = clock.hold('api request');
      setImmediate(() => {
        release();
        release();
      });
      await clock.runUntil(200);
      expect(happened).toEqual(['after the hold']);
    });
  });
}
