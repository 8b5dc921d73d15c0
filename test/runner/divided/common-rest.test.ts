/** The parts of a divided run agree on whether the whole run is at rest. */
import { expect, it } from 'vitest';
import { CommonRest } from '../../../src/runner/divided/ends.js';

function parts(count: number) {
  const rest = new CommonRest(count);
  const answers: boolean[] = [];
  return { rest, answers, ask: (isAtRest: boolean) => rest.ask(isAtRest, (all) => void answers.push(all)) };
}

it('at each check, a part that is at rest waits for the answers of the other parts', () => {
  const { ask, answers } = parts(2);
  ask(true);
  expect(answers).toEqual([]);
  ask(false);
  expect(answers).toEqual([false, false]);
  ask(true);
  ask(true);
  expect(answers).toEqual([false, false, true, true]);
});

it('the other parts do not wait for a part that has ended early', () => {
  const { rest, ask, answers } = parts(2);
  ask(true);
  rest.leave();
  expect(answers).toEqual([true]);
});
