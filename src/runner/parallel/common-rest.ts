/**
 * Lets the parts of a run end at the same simulated time. An undivided run ends when all of its devices are at rest; until
 * then, devices that are at rest still emit events, for example when their modems pause. A divided run must have the same
 * events. So each part continues until the devices of all parts are at rest, and asks at each check whether they are.
 */

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
