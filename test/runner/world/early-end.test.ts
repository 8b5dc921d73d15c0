/** Expectations that end a run early. */
import { describe, expect, it } from 'vitest';
import { EXIT, GhostfleetError } from '../../../src/kernel/errors.js';
import { hours } from '../../../src/kernel/time.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import { renderJunit } from '../../../src/report/renderers/junit.js';
import type { RunResult, WorkerReport } from '../../../src/report/result.js';
import { getMark } from '../../../src/report/verdict.js';
import { endOfAll } from '../../../src/runner/divided/ends.js';
import { cutShort, describeEarlyEnd } from '../../../src/runner/judge.js';
import type { RunControl } from '../../../src/runner/run.js';
import { watchExpectations } from '../../../src/runner/world/early-end.js';
import { problemsOf } from '../../scenario/fixtures.js';
import { runText } from '../run-text.js';

const scenario = (...lines: readonly string[]) => `
name: early
duration: 6h
fleet: [{ name: clime, profile: clime, count: 2 }]
steps: [{ at: 2h, commands: [no such command], unknown: true }]
expect:
${lines.map((line) => `  - ${line}`).join('\n')}
`;

describe('the other expectations of a run that ended early', () => {
  const ended = 'the run ended early; until then: ';
  const marks = ({ expectations }: RunResult) => expectations.map((each) => `${getMark(each).mark} ${each.sentence}`);

  it('are undecided if an expectation ended it, met or not; the one that ended it has failed', async () => {
    const result = await runText(
      scenario(
        '{ that: fleet.devices > 2, abort: 1h }',
        'device.ready == 2',
        'downlink.queued == 4',
        'downlink.answered p(95) < 1h',
      ),
    );
    expect(marks(result)).toEqual([
      '✗ fleet.devices is 2, wanted > 2',
      `? ${ended}device.ready is 2, wanted == 2`,
      `? ${ended}downlink.queued is 0, wanted == 4`,
      `? ${ended}no data: downlink.answered p(95) was never measured`,
    ]);
    expect(result.exitCode).toBe(EXIT.expectation);
    const xml = renderJunit(result);
    expect(xml).toContain('tests="5" failures="1" errors="1"');
    expect(xml).toContain('skipped="3"');
    expect(xml).toContain(`name="downlink.queued == 4"><skipped message="${ended}downlink.queued is 0, wanted == 4"/>`);
  });

  it('are undecided if the wait of a step ended it', async () => {
    const text = scenario('downlink.queued == 2').replace('at: 2h,', 'after: device.ready == 9, within: 1h,');
    const result = await runText(text);
    expect(marks(result)).toEqual([`? ${ended}downlink.queued is 0, wanted == 2`]);
    expect(result.exitCode).toBe(EXIT.expectation);
  });

  it('are undecided in a divided run', async () => {
    const stop = (reason: GhostfleetError) => ({
      started: ({ clock, stop: end }: Pick<RunControl, 'clock' | 'stop'>) =>
        void clock.after(hours(1), 'the trouble', () => end(reason)),
    });
    const broken = new GhostfleetError('target-gone', 'the target is gone', EXIT.stuck);
    const result = await runText(scenario('downlink.queued == 2'), { workers: 2, ...stop(broken) });
    expect(marks(result)).toEqual([`? ${ended}downlink.queued is 0, wanted == 2`]);
    expect(result).toMatchObject({ exitCode: EXIT.stuck, failure: 'the target is gone' });
  });

  it('are judged if the scenario has ended and devices do not come to rest', () => {
    const notAtRest = { exitCode: EXIT.stuck, failure: 'not at rest', busy: ['clime-0001 with its session'] };
    expect(describeEarlyEnd(notAtRest)).toBeNull();
    expect(
      describeEarlyEnd(
        endOfAll({ devices: [], faults: [], actions: [], duration: 0, settle: 0 } as never, [notAtRest]),
      ),
    ).toBeNull();
  });

  it('stay failed if they are rules that were violated', () => {
    const outcome = {
      line: 'a rule',
      passed: false,
      left: 1,
      right: 0,
      unit: 'count',
      sentence: 'violated once',
    } as const;
    const rule = { line: 'always uplinks-stored-once', invariant: 'uplinks-stored-once' };
    expect(cutShort(outcome, 'interrupted', rule, 0)).toBe(outcome);
    expect(cutShort(outcome, 'interrupted', undefined, 0)).toBe(outcome);
    expect(cutShort({ ...outcome, passed: true }, 'interrupted', rule, 0)).toMatchObject({ undecided: true });
  });

  it('are undecided if a worker was lost', () => {
    const worker = { lost: { why: 'no heartbeat' } } as WorkerReport;
    expect(describeEarlyEnd({ exitCode: EXIT.fine, failure: null }, [worker])).toBe(
      'undecided, because a worker was lost',
    );
  });
});

it('the warning about devices that are not ready says that the run ended early', async () => {
  const { warnings } = await runText(scenario('{ that: fleet.devices > 2, abort: true }'));
  expect(warnings.join()).toContain('2 of 2 devices were not ready when the run ended early: they had no session');
});

describe('an expectation with abort', () => {
  it('ends the run in the second in which it fails, and the result names the expectation', async () => {
    const result = await runText(scenario('{ that: downlink.answered == 0, abort: true }'));
    expect(result).toMatchObject({ passed: false, exitCode: EXIT.expectation });
    expect(result.failure).toMatch(
      /^ended at 2h\d+m\d+s by "downlink.answered == 0": downlink.answered is 1, wanted == 0/,
    );
    expect(result.simulatedMs).toBeLessThan(3.5 * 3_600_000);
    expect(result.simulatedMs % 1000).toBe(0);
  });

  it('ends the run at a deadline that passes without an event', async () => {
    // No device answers. The commands were queued at 2h, so an answer at exactly 3h would still be in time.
    const { failure, expectations } = await runText(
      `${scenario('{ that: downlink.answered within 1h >= 95%, abort: true }')}faults: [{ outage: both, from: 1h }]\n`,
    );
    expect(failure).toMatch(/^ended at 3h1s by /);
    expect(expectations[0]).not.toHaveProperty('undecided');
  });

  it('is not judged before its time', async () => {
    const early = await runText(scenario('{ that: device.ready == 2, abort: true }'));
    expect(early.failure).toBe('ended at 0s by "device.ready == 2": device.ready is 0, wanted == 2');
    const later = await runText(scenario('{ that: device.ready == 2, abort: 30m }'));
    expect(later).toMatchObject({ passed: true, failure: null });
  });

  it('does not end the run while the expectation is not decidable', async () => {
    const { failure } = await runText(scenario('{ that: downlink.answered p(95) < 3h, abort: true }'));
    expect(failure).toBeNull();
  });

  it('ends the run for an invariant that is violated', async () => {
    const clock = new VirtualClock();
    const first = { at: 5_500, serial: 1, what: 'an uplink was stored twice', events: [] };
    const getVerdict = () => (clock.now < 5_500 ? { violations: 0, first: undefined } : { violations: 1, first });
    const evidence = {
      metrics: { read: () => undefined, within: () => undefined },
      invariants: { getVerdict },
      nameOf: () => 'clime-0001',
    };
    const ends: [number, string][] = [];
    const line = { line: 'always uplinks-stored-once', invariant: 'uplinks-stored-once', abort: 2_000 };
    watchExpectations(
      [line],
      () => evidence,
      clock,
      ({ message }) => ends.push([clock.now, message]),
    );
    await clock.runUntil(60_000);
    expect(ends).toEqual([
      [6_000, expect.stringMatching(/^ended at 6s by "always uplinks-stored-once": violated once/)],
    ]);
  });

  it('does not change a run that it does not end', async () => {
    const plain = await runText(scenario('downlink.refused <= 2'));
    const watched = await runText(scenario('{ that: downlink.refused <= 2, abort: true }'));
    expect(watched.digest).toBe(plain.digest);
  });

  it.each(['{ that: step.failed == 1 }', '{ that: step.failed == 1, abort: false }'])(
    'does not end the run in the form %s',
    async (line) => {
      const [watched, plain] = [await runText(scenario(line)), await runText(scenario('step.failed == 1'))];
      expect([watched.expectations, watched.digest]).toEqual([plain.expectations, plain.digest]);
    },
  );

  it.each([
    [
      '{ that: device.ready == 2, abort: soon }',
      '"soon" is not true, false, or a duration after the start such as "10m"',
    ],
    ['{ that: device.ready == 2, abort: 6h }', 'the run has ended by then'],
    ['{ that: device.raedy == 2, abort: true }', 'device.raedy'],
    ['{ then: device.ready == 2, abort: true }', '"then"'],
  ])('is rejected in the invalid form %s', (line, message) => {
    expect(problemsOf(scenario(line)).join('\n')).toContain(message);
  });
});
