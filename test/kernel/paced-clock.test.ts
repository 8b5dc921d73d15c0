/** PacedClock: alarms ring in the order of virtual time, at most at the given multiple of the speed of real time. */
import { describe, expect, it } from 'vitest';
import { PacedClock } from '../../src/kernel/paced-clock.js';

const made = (speed: number) => {
  const rests: number[] = [];
  const heard: number[] = [];
  const clock: PacedClock = new PacedClock({
    start: 0,
    speed,
    rest: () => void rests.push(clock.now),
    events: () => heard.length,
  });
  for (const at of [1000, 2000, 2000, 3000]) clock.after(at, 'a test', () => void heard.push(clock.now));
  return { clock, heard, rests };
};
const settled = () => new Promise((resolve) => setTimeout(resolve, 20));

describe('time at a pace', () => {
  it('passes at most as fast as the pace, even between the last alarm and the deadline', async () => {
    const { clock, heard } = made(50);
    clock.begin();
    const began = performance.now();
    await clock.runUntil(5000);
    expect(performance.now() - began).toBeGreaterThanOrEqual(95);
    expect([heard, clock.now]).toEqual([[1000, 2000, 2000, 3000], 5000]);
  });

  it('passes as fast as possible until the pace begins', async () => {
    const { clock, rests } = made(0.001);
    await clock.runUntil(3000);
    expect(rests).toEqual([]);
  });

  it('stands still while it is paused, advances by one instant per step, and resumes at another speed', async () => {
    const { clock, heard, rests } = made(1);
    clock.begin();
    clock.pause();
    const end = clock.runUntil(3000);
    await settled();
    expect([heard, clock.isPaused]).toEqual([[], true]);
    clock.step();
    await settled();
    expect(heard).toEqual([1000]);
    clock.step();
    await settled();
    expect([heard, rests.at(-1)]).toEqual([[1000, 2000, 2000], 2000]);
    clock.speed = 1_000_000;
    clock.resume();
    await end;
    expect(heard).toEqual([1000, 2000, 2000, 3000]);
  });

  it('passes alarms without an event in a step, which a pause ends', async () => {
    const { clock, heard } = made(1);
    for (const at of [500, 1500, 1700]) clock.after(at, 'the own work of the service', () => {});
    clock.begin();
    clock.pause();
    const end = clock.runUntil(3000);
    await settled();
    for (const expected of [1000, 2000]) {
      clock.step();
      await settled();
      expect([heard.at(-1), clock.now]).toEqual([expected, expected]);
    }
    clock.step();
    clock.pause();
    await settled();
    expect(clock.now).toBe(2000);
    clock.speed = 1_000_000;
    clock.resume();
    await end;
  });

  it('no longer passes when the clock is stopped: the run fails at once', async () => {
    const { clock } = made(0.001);
    clock.begin();
    const end = clock.runUntil(3000);
    clock.stop(new Error('enough'));
    await expect(end).rejects.toThrow('enough');
  });
});
