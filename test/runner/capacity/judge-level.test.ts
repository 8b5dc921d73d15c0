import { describe, expect, it } from 'vitest';
import { defineScenario } from '../../../src/index.js';
import { UsageError } from '../../../src/kernel/errors.js';
import type { GeneratorReport, RunResult } from '../../../src/report/result.js';
import { judgeLevel, recordOf, unmade } from '../../../src/runner/capacity/judge-level.js';
import { HELD } from '../../../src/runner/load/requests.js';
import { resultOf } from '../../report/fixtures.js';

const plan = defineScenario({ name: 'level', duration: '1m', fleet: [{ name: 'clime', profile: 'clime', count: 1 }] });

const punctual: GeneratorReport = {
  ...{ lateness: undefined, eventLoopDelay: 1, stall: 1, busy: 0.1, cpu: 0.1, gc: 0, spoiled: null },
};

function spread(p50: number) {
  return { count: 9, min: p50, mean: p50, p50, p95: p50, p99: p50, max: p50 };
}

/** A run against a target whose requests took `service` ms; `unsent` found no free connection. */
function measured(service: number, unsent: number, changes: Partial<RunResult> = {}) {
  const counts = { planned: 100, sent: 100, answered: 90, failed: 0, refused: 0, inFlight: 0, dropped: unsent };
  const times = { ...counts, latency: spread(service), service: spread(service) };
  const reasons = unsent === 0 ? {} : { 'dropped: no connection was free until the end': unsent };
  const result = resultOf({
    ...{ clock: 'real', generator: punctual, allCalls: times },
    calls: { load: { ...times, closedLoop: false, reasons } },
    ...changes,
  });
  return recordOf(result, plan);
}

const failed = {
  ...{ line: 'call.latency p(95) < 500ms', passed: false, left: 800, right: 500, unit: 'ms' as const },
  sentence: 'call.latency p(95) is 800ms, wanted < 500ms',
};
const unsent = {
  exitCode: 5 as const,
  failure: 'the run is invalid: the load generator was the bottleneck: 20 of 100 requests were not sent',
};

describe('the verdict on a level', () => {
  it('is that it fails, with the expectations, if one is not met', () => {
    const { kind, why } = judgeLevel(measured(5, 0, { exitCode: 3, expectations: [failed] }), 5);
    expect([kind, why]).toEqual(['fails', failed.sentence]);
  });

  it('is that the generator is the limit if it was late, even if an expectation is not met', () => {
    const late = { ...punctual, spoiled: 'the load generator was the bottleneck' };
    const run = measured(500, 20, { ...unsent, generator: late, expectations: [failed] });
    expect(judgeLevel(run, 5).kind).toBe('generator limit');
  });

  it('is that the service fails if its slow answers let all connections wait', () => {
    const { kind, why } = judgeLevel(measured(500, 20, { ...unsent, expectations: [failed] }), 5);
    expect([kind, why]).toEqual([
      'fails',
      `all connections waited for answers: 20 of 100 requests were not sent; ${failed.sentence}`,
    ]);
  });

  it('is that the generator is the limit if the service answers as fast as at the lowest level', () => {
    expect(judgeLevel(measured(500, 20, unsent), 490).kind).toBe('generator limit');
  });

  it.each([
    ['users sent fewer requests', { closedLoop: true, held: { count: 6, longest: 900 } }, 0, 'generator limit'],
    ['few requests of users were later', { closedLoop: true, held: { count: 5, longest: 900 } }, 0, 'holds'],
    ['requests at a rate were later', { closedLoop: false, held: { count: 90, longest: 900 } }, 0, 'holds'],
    [
      'requests at a rate were not sent',
      { closedLoop: false, reasons: { [`dropped: ${HELD}`]: 1 } },
      4,
      'generator limit',
    ],
  ] as const)('if the limit of requests a second held back a load: %s', (_, changes, exitCode, kind) => {
    const times = { planned: 100, sent: 100, answered: 100, failed: 0, refused: 0, inFlight: 0, dropped: 0 };
    const load = { ...times, latency: spread(5), service: spread(5), reasons: {}, ...changes };
    expect(judgeLevel(measured(5, 0, { exitCode, calls: { load } }), 5).kind).toBe(kind);
  });

  it('is an error if the run failed for a reason that no level has', () => {
    const broken = { exitCode: 5 as const, failure: 'the run is invalid: 1 of 1 device failed' };
    expect(() => measured(5, 0, broken)).toThrow('1 of 1 device failed');
  });

  it.each([
    ['not-created', 'fails'],
    ['bad-target', 'fails'],
    ['open-files', 'generator limit'],
    ['machine-failed', 'generator limit'],
    ['rate-exceeded', 'generator limit'],
    ['no-workers', undefined],
    ['bad-queue', undefined],
    ['worker-refused', undefined],
    ['constructor', undefined],
  ] as const)(
    'of a run that the error "%s" prevented is %j, because the queue says nothing about the service',
    (code, kind) => {
      const record = unmade(plan, new UsageError(code, 'not made'));
      expect(record && judgeLevel(record, 5).kind).toBe(kind);
    },
  );
});
