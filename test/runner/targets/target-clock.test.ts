/** Times of a cloud whose clock differs from the clock of this machine. */
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Millis, minutes, seconds } from '../../../src/kernel/time.js';
import { mergeOffsets, TargetClock, warnOfClock } from '../../../src/runner/targets/target-clock.js';

const EPOCH = Date.UTC(2026, 0, 1);
/** Real time of this machine, and time of the run. */
let [time, run] = [{ now: 0, wall: EPOCH }, { now: 0 }];
let times: TargetClock;

beforeEach(() => {
  [time, run] = [{ now: 0, wall: EPOCH }, { now: 0 }];
  times = new TargetClock({ time, run, speed: 60 });
});

/** The time stamp of a cloud whose clock is ahead by `offset`, at a real time of this machine. */
function stamp(at: Millis, offset: Millis): string {
  return new Date(EPOCH + at + offset).toISOString();
}

/** A request that is sent at a real time, processed and answered. */
function created(sent: Millis, processed: Millis, answered: Millis, offset: Millis): void {
  time.now = answered;
  times.noteCreated(stamp(processed, offset), sent);
}

describe('the clock of a target', () => {
  it('is measured by what requests create, as exactly as the fastest request was', () => {
    created(0, 50, 100, -300);
    created(200, 203, 207, -300);
    expect(times.offset).toEqual({ offset: -300, error: 4 });
    expect(times.error).toBe(240);
  });

  it('gives times of the run that do not depend on its offset', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e9, max: 1e9 }), fc.integer({ min: 0, max: 60_000 }), (offset, ago) => {
        [time, run] = [{ now: 0, wall: EPOCH }, { now: 0 }];
        times = new TargetClock({ time, run, speed: 60 });
        created(0, 1, 1, offset);
        time.now = 100_000;
        run.now = minutes(100);
        const { offset: measured = 0, error = 0 } = times.offset ?? {};
        expect(Math.abs(measured - offset)).toBeLessThanOrEqual(error);
        expect(Math.abs(times.findMoment(stamp(100_000 - ago, offset)) - (run.now - ago * 60))).toBeLessThanOrEqual(
          times.error + 30,
        );
      }),
    );
  });

  it('is measured by time stamps in seconds, too', () => {
    time.now = 700;
    times.noteCreated('2026-01-01T00:00:20Z', 690);
    expect(times.offset).toEqual({ offset: 19_805, error: 505 });
  });

  it('is measured by Date headers until there are time stamps, which may come from another clock', () => {
    time.now = 100;
    times.noteDated('Thu, 01 Jan 2026 00:05:00 GMT', 0);
    expect(times.offset).toEqual({ offset: minutes(5) + 450, error: 550 });
    created(200, 201, 202, seconds(-20));
    expect(times.offset?.offset).toBeCloseTo(-20_000, -1);
  });

  it('is measured by the uplinks that it shows', () => {
    time.now = seconds(10);
    run.now = seconds(600);
    // The device sent it 2 s before.
    times.noteShown(stamp(8100, seconds(7)), seconds(480));
    expect(times.offset).toEqual({ offset: 7000 - 899.5, error: 1000.5 });
    times.noteShown(stamp(9990, seconds(7)), undefined);
    expect(times.offset?.error).toBeCloseTo(55.5);
  });

  it.each([20, -20])('has an error that covers a correction by %d s', (by) => {
    created(0, 1, 2, 0);
    created(seconds(60), seconds(60) + 1, seconds(60) + 2, seconds(by));
    const { offset = 0, error = 0 } = times.offset ?? {};
    expect(offset - error).toBeLessThanOrEqual(Math.min(0, seconds(by)) + 2);
    expect(offset + error).toBeGreaterThanOrEqual(Math.max(0, seconds(by)) - 2);
    // Nothing is certain about a single time.
    expect(times.error).toBe(Number.POSITIVE_INFINITY);
  });

  it('is not known without any measurement, so that its error explains everything', () => {
    expect(times.offset).toBeUndefined();
    expect(times.error).toBe(Number.POSITIVE_INFINITY);
    times.noteCreated('yesterday', 0);
    expect(times.offset).toBeUndefined();
  });

  it('never shows a time after now, before the start of the run, or before an event that must come first', () => {
    created(0, 1, 4, 0);
    time.now = seconds(10);
    run.now = seconds(600);
    expect(times.findMoment(stamp(seconds(30), 0))).toBe(seconds(600));
    expect(times.findMoment(stamp(seconds(-30), 0))).toBe(0);
    const received = seconds(300) + 100;
    expect(times.findMoment(stamp(seconds(5), 0), received)).toBe(received);
    // The error of 120 to 150 ms does not explain a whole second.
    expect(times.findMoment(stamp(seconds(5), 0), seconds(301))).toBeLessThan(seconds(300.2));
  });
});

it('the clocks of several machines have offsets in one range', () => {
  expect(mergeOffsets([])).toBeUndefined();
  const both = mergeOffsets([
    { offset: 10, error: 1 },
    { offset: -20, error: 5 },
  ]);
  expect(both).toEqual({ offset: -7, error: 18 });
});

it('a report warns of times that may be wrong by more than a second of the run', () => {
  expect(warnOfClock(undefined, 60)).toEqual([]);
  expect(warnOfClock({ offset: -300_000, error: 4 }, 60)).toEqual([]);
  expect(warnOfClock({ offset: 0, error: 40 }, 60)).toEqual([
    'the clock of the target is known to ± 40ms: times that come from it may be wrong by 2.4s of the run',
  ]);
});
