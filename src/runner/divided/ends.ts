/**
 * The end of a run whose devices are divided. In virtual time, its parts end at the same simulated time. An undivided run ends
 * when all of its devices are at rest; until then, devices that are at rest still emit events, for example when their modems
 * pause. A divided run must have the same events. So each part continues until the devices of all parts are at rest, and asks at
 * each check whether they are.
 */
import { EXIT } from '../../kernel/errors.js';
import type { Plan } from '../../scenario/model/plan.js';
import type { End } from '../world/end.js';
import { NotAtRest } from '../world/not-at-rest.js';

/**
 * The end of a run of several parts: the first of `ends` whose exit code is not 0. A message about devices that are not at
 * rest names those of all parts, in the order of the plan.
 */
export function endOfAll(plan: Plan, ends: readonly End[]): End {
  const early = ends.find(({ exitCode }) => exitCode !== EXIT.fine);
  if (early?.busy === undefined) return early ?? { exitCode: EXIT.fine, failure: null };
  const places = new Map(plan.devices.map(({ name }, index) => [name, index]));
  const placeOf = (clause: string) => places.get(clause.split(' ', 1)[0] ?? '') ?? places.size;
  const all = new Set(ends.flatMap(({ busy }) => busy ?? []));
  const busy = [...all].sort((a, b) => placeOf(a) - placeOf(b));
  return { exitCode: early.exitCode, failure: new NotAtRest(plan, busy).message, busy };
}

interface Question {
  readonly isAtRest: boolean;
  readonly answer: (all: boolean) => void;
}

export class CommonRest {
  #parts: number;
  #questions: Question[] = [];

  constructor(parts: number) {
    this.#parts = parts;
  }

  /**
   * Called by each part at every check. When all parts have asked, calls the `answer` of each part: with true if the devices of
   * all parts are at rest, otherwise with false.
   */
  ask(isAtRest: boolean, answer: Question['answer']): void {
    this.#questions.push({ isAtRest, answer });
    this.#decide();
  }

  /** Called when a part has ended: the other parts no longer wait for a question of this part. */
  leave(): void {
    this.#parts--;
    this.#decide();
  }

  #decide(): void {
    if (this.#questions.length < this.#parts) return;
    const questions = this.#questions;
    this.#questions = [];
    const all = questions.every(({ isAtRest }) => isAtRest);
    for (const { answer } of questions) answer(all);
  }
}
