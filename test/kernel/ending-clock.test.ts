import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import { MortalClock } from '../../../src/runner/targets/mortal-clock.js';

describe('the clock of a process', () => {
  it('goes like the one that it is on', async () => {
    const clock = new VirtualClock();
    const own = new MortalClock(clock);
    const rung: number[] = [];
    own.after(10, 'an alarm', () => rung.push(own.now));
    own.after(20, 'a cancelled alarm', () => rung.push(own.now)).cancel();
    own.after(30, 'somebody to wake', { wake: () => rung.push(own.now) });
    await clock.runUntil(100);
    expect(rung).toEqual([10, 30]);
    expect(own.wall).toBe(clock.wall);
  });

  it('that dies takes its alarms and its holds along, and begins nothing more', async () => {
    const clock = new VirtualClock({ holdLimit: 50 });
    const own = new MortalClock(clock);
    let rung = 0;
    own.after(10, 'an alarm', () => rung++);
    own.hold('work under way');
    own.die();
    own.after(20, 'an alarm', () => rung++);
    own.hold('work that is not begun');
    expect(clock.waiting).toBe(0);
    await clock.runUntil(100);
    expect(rung).toBe(0);
  });
});
