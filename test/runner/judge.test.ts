/** What a run is worth. */
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../src/kernel/errors.js';
import type { ExpectationResult, GeneratorReport } from '../../src/report/result.js';
import { verdict } from '../../src/runner/generator.js';
import { judge } from '../../src/runner/judge.js';

const FINE = { exitCode: EXIT.fine, failure: null };
const STUCK = { exitCode: EXIT.stuck, failure: 'not at rest' };
const INTERRUPTED = { exitCode: EXIT.interrupted, failure: 'interrupted by SIGINT' };

/** The event loop is busy half of the time, and actions come `late` real milliseconds late. */
function figures(late: number, busy = 0.5): Omit<GeneratorReport, 'spoiled'> {
  const lateness = { count: 100, min: late, mean: late, p50: late, p95: late, p99: late, max: late };
  return { lateness, eventLoopDelay: late, busy, cpu: busy, gc: 0 };
}

const SPOILED: GeneratorReport = { ...figures(300), spoiled: 'it was late' };
const held = (passed: boolean) => [{ passed } as ExpectationResult];

describe('a generator', () => {
  it.each([
    ['was on time', figures(2), 60, null],
    ['was late for any network', figures(300), 1, 'more than 300ms late'],
    ['was late for its devices', figures(100), 60, 'more than 6.0s of the run late'],
    ['was far too fast', figures(10), 1_000_000, 'the speed of 1000000 is too much for this machine'],
    ['had no time to spare', figures(2, 0.99), 1, 'no time to spare'],
  ])('that %s is told so', (_, measured, speed, message) => {
    if (message === null) expect(verdict(measured, speed)).toBeNull();
    else expect(verdict(measured, speed)).toContain(message);
  });
});

describe('a run with a generator that spoiled it', () => {
  it.each([
    [FINE, held(true), 'the run is invalid: it was late'],
    [FINE, held(false), 'the run is invalid: it was late'],
    [STUCK, held(true), 'the run is invalid: it was late; not at rest'],
  ])('is invalid, whatever it has measured', (end, expectations, failure) => {
    expect(judge(end, expectations, [], SPOILED)).toEqual({ exitCode: EXIT.invalid, failure });
  });

  it('was interrupted all the same', () => {
    expect(judge(INTERRUPTED, held(true), [], SPOILED)).toEqual(INTERRUPTED);
  });
});

describe('a run with a generator that kept up', () => {
  const kept = { ...figures(2), spoiled: null };

  it('is stuck when its world did not come to rest', () => {
    expect(judge(STUCK, held(false), [], kept)).toEqual(STUCK);
  });

  it('has failed when an expectation did not hold', () => {
    expect(judge(FINE, held(false), [], kept)).toEqual({ exitCode: EXIT.expectation, failure: null });
  });

  it('has its bug told first when the books do not balance', () => {
    expect(judge(STUCK, held(false), ['1 is not 2'], SPOILED).exitCode).toBe(EXIT.internal);
  });
});
