/**
 * Lets the parts of a run end at the same moment. One world goes on until all of its devices are at rest, and meanwhile also those
 * that are at rest have events, such as the pauses of their modems. So a part asks at each check whether all parts are.
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

  /** A part checks whether its devices are at rest, and waits for the answer whether those of all parts are. */
  ask(isAtRest: boolean, answer: Question['answer']): void {
    this.#questions.push({ isAtRest, answer });
    this.#decide();
  }

  /** A part has ended and asks nothing more. */
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
