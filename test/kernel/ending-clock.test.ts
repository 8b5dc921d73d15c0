import { describe, expect, it } from 'vitest';
import { EndingClock } from '../../src/kernel/ending-clock.js';
import { VirtualClock } from '../../src/kernel/virtual-clock.js';

describe('a clock that can be ended', () => {
  it('passes calls to the clock behind it', async () => {
    const clock = new VirtualClock();
    const own = new EndingClock(clock);
    const rung: number[] = [];
    own.after(10, 'an alarm', () => rung.push(own.now));
    own.after(20, 'a cancelled alarm', () => rung.push(own.now)).cancel();
    own.after(30, 'an object to wake', { wake: () => rung.push(own.now) });
    await clock.runUntil(100);
    expect(rung).toEqual([10, 30]);
    expect(own.wall).toBe(clock.wall);
  });

  it('cancels its alarms and releases its holds when it ends, and starts nothing afterwards', async () => {
    const clock = new VirtualClock({ holdLimit: 50 });
    const own = new EndingClock(clock);
    let rung = 0;
    own.after(10, 'an alarm', () => rung++);
    own.hold('running work');
    own.end();
    own.after(20, 'an alarm', () => rung++);
    own.hold('work that is not begun');
    expect(clock.waiting).toBe(0);
    await clock.runUntil(100);
    expect(rung).toBe(0);
  });
});
