/** Exit code and failure of a run. */
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../src/kernel/errors.js';
import type { ExpectationResult, GeneratorReport } from '../../src/report/result.js';
import { judge } from '../../src/runner/judge.js';
import { findSpoiling, findUnsentSpoiling } from '../../src/runner/world/spoiled.js';
import type { CallSummary } from '../../src/trace/metrics/calls.js';

const FINE = { exitCode: EXIT.fine, failure: null };
const STUCK = { exitCode: EXIT.stuck, failure: 'not at rest' };
const INTERRUPTED = { exitCode: EXIT.interrupted, failure: 'interrupted by SIGINT' };

/** Figures of a process whose event loop is busy half of the time, and whose actions are `late` real milliseconds late. */
function figures(late: number, busy = 0.5, stall = late): Omit<GeneratorReport, 'spoiled'> {
  const lateness = { count: 100, min: late, mean: late, p50: late, p95: late, p99: late, max: late };
  return { lateness, eventLoopDelay: late, stall, busy, cpu: busy, gc: 0 };
}

const SPOILED = 'it was late';
const held = (passed: boolean) => [{ passed } as ExpectationResult];

describe('a load generator', () => {
  it.each([
    ['acted 2 ms late at speed 60', figures(2), 60, null],
    ['acted 300 ms late at speed 1', figures(300), 1, 'more than 300ms late'],
    ['acted 100 ms late at speed 60, which is 6 s for its devices', figures(100), 60, 'more than 6s late'],
    ['ran at too high a speed', figures(10), 1_000_000, 'speed 1000000 is too high for this machine'],
    ['had no idle time', figures(2, 0.99), 1, 'no idle time'],
  ])('that %s is judged correctly', (_, measured, speed, message) => {
    if (message === null) expect(findSpoiling(measured, speed, true)).toBeNull();
    else expect(findSpoiling(measured, speed, true)).toContain(message);
  });

  it.each([
    [499, true, null],
    [500, true, expect.stringMatching(/^the load generator stood still for 500ms, and the measured latencies include/)],
    [500, false, null],
  ])('that stood still for %i ms is judged correctly (limit 500 ms; run with loads: %s)', (stall, loads, verdict) => {
    expect(findSpoiling(figures(2, 0.5, stall), 1, loads)).toEqual(verdict);
  });

  it.each([
    [8000, 60, 'devices and steps acted up to 8m late in time of the run'],
    [8000, 1, 'devices and steps acted up to 8s late in time of the run'],
    [500, 11, 'devices and steps acted up to 5.5s late in time of the run'],
    [499, 60, null],
    [4900, 1, null],
  ])('that has no loads and acted once %i ms late at speed %i is judged correctly', (max, speed, message) => {
    const lateness = { count: 1000, min: 0, mean: 8, p50: 1, p95: 2, p99: 3, max };
    const verdict = findSpoiling({ ...figures(2), lateness, stall: max }, speed, false);
    if (message === null) expect(verdict).toBeNull();
    else expect(verdict).toContain(message);
  });

  it('that stood still while nothing was due is judged correctly', () => {
    expect(findSpoiling(figures(2, 0.5, 8000), 60, false)).toBeNull();
  });

  it.each([
    [50, 'too many wait for a connection', null],
    [
      51,
      'too many wait for a connection',
      expect.stringMatching(/51 of 1,000 planned requests of the load "reads" were not sent/),
    ],
    [51, 'no connection was free until the end', expect.stringMatching(/were not sent/)],
    [500, 'the run was over', null],
    [500, 'the device does not exist in the cloud', null],
  ])('that dropped %i of 1,000 requests because "%s" is judged correctly', (count, reason, verdict) => {
    // The cast is safe because no other fields are read.
    const reads = { planned: 1000, reasons: { [`dropped: ${reason}`]: count } } as unknown as CallSummary;
    expect(findUnsentSpoiling({ reads })).toEqual(verdict);
  });
});

describe('a run whose load generator was too slow', () => {
  it.each([
    [FINE, held(true), 'the run is invalid: it was late'],
    [FINE, held(false), 'the run is invalid: it was late'],
    [STUCK, held(true), 'the run is invalid: it was late; not at rest'],
  ])('is invalid, whatever it measured', (end, expectations, failure) => {
    expect(judge(end, expectations, [], SPOILED)).toEqual({ exitCode: EXIT.invalid, failure });
  });

  it('is interrupted, not invalid, if the user interrupted it', () => {
    expect(judge(INTERRUPTED, held(true), [], SPOILED)).toEqual(INTERRUPTED);
  });
});

describe('a run whose load generator kept up', () => {
  const kept = null;

  it('is stuck if its world did not come to rest', () => {
    expect(judge(STUCK, held(false), [], kept)).toEqual(STUCK);
  });

  it('fails if an expectation failed', () => {
    expect(judge(FINE, held(false), [], kept)).toEqual({ exitCode: EXIT.expectation, failure: null });
  });
});

it('an accounting mismatch decides the exit code of a run, whatever else is wrong with the run', () => {
  expect(judge(STUCK, held(false), ['1 is not 2'], SPOILED).exitCode).toBe(EXIT.internal);
});
