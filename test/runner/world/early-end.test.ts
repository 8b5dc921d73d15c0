/** Expectations that end a run early. */
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/kernel/errors.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
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
    const verdict = () => (clock.now < 5_500 ? { violations: 0, first: undefined } : { violations: 1, first });
    const evidence = {
      metrics: { read: () => undefined, within: () => undefined },
      invariants: { verdict },
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

  it.each([
    ['{ that: device.ready == 2, abort: soon }', '"soon" is not true, or a duration after the start such as "10m"'],
    ['{ that: device.ready == 2, abort: 6h }', 'the run has ended by then'],
    ['{ that: device.ready == 2 }', 'an expectation needs "abort"'],
    ['{ that: device.raedy == 2, abort: true }', 'device.raedy'],
    ['{ then: device.ready == 2, abort: true }', '"then"'],
  ])('is rejected in the invalid form %s', (line, message) => {
    expect(problemsOf(scenario(line)).join('\n')).toContain(message);
  });
});
