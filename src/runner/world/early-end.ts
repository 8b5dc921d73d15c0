/**
 * Expectations that end a run early. They are judged every simulated second, so that equal runs end at equal times. An
 * expectation that cannot be decided yet does not end the run.
 */
import type { Clock } from '../../kernel/clock.js';
import { EXIT, GhostfleetError } from '../../kernel/errors.js';
import { exactDuration, type Instant, seconds, sinceStart } from '../../kernel/time.js';
import { type Evidence, evaluate } from '../../scenario/expect/evaluate.js';
import type { Expectation } from '../../scenario/expect/expectation.js';

const JUDGE_EVERY = seconds(1);

/** @param end called once, with the reason, when an expectation fails */
export function watchExpectations(
  expectations: readonly Expectation[],
  evidence: () => Evidence,
  clock: Clock,
  end: (reason: GhostfleetError) => void,
): void {
  const ending = expectations.flatMap((expectation) => {
    const { abort } = expectation;
    return abort === undefined ? [] : [{ expectation, from: abort }];
  });
  const look = (now: Instant): void => {
    for (const { expectation, from } of ending) {
      if (now < from) continue;
      const { passed, undecided, line, sentence } = evaluate(expectation, evidence());
      if (passed || undecided) continue;
      const when = exactDuration(sinceStart(now));
      return end(new GhostfleetError('aborted', `ended at ${when} by "${line}": ${sentence}`, EXIT.expectation));
    }
    clock.after(JUDGE_EVERY, 'a look at the expectations that end the run', () => look(clock.now));
  };
  const first = Math.min(...ending.map(({ from }) => from));
  if (ending.length > 0) clock.after(first, 'a look at the expectations that end the run', () => look(clock.now));
}
