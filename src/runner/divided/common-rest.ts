/**
 * Lets the parts of a run end at the same moment. An undivided run ends when all of its devices are at rest, and until then
 * devices at rest have events, too, such as the pauses of their modems. So a part asks at each check whether the devices of all
 * parts are at rest.
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
