import type { RunState, RunVerdict } from '../../../src/control/run-state.js';

/** An expectation of a scenario. */
export type Expectation = RunState['expectations'][number];

/** An expectation at the end of a run. */
export function atEnd(each: RunVerdict['expectations'][number]): Expectation {
  return { ...each, state: stateOf(each) };
}

/** The state of an expectation at the end of a run. */
export function stateOf({ passed, undecided = false }: EndOfExpectation): Expectation['state'] {
  return undecided ? 'undecided' : passed ? 'holds' : 'fails';
}

interface EndOfExpectation {
  readonly passed: boolean;
  readonly undecided?: boolean;
}
