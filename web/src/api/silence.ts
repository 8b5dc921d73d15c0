/**
 * Notices a connection that has become silent. It may be broken without a sign of it: a cable was cut, or the service stands
 * still.
 */
import { doubtService } from './answering.js';

export class Silence {
  readonly #end: () => void;
  #alarm: ReturnType<typeof setTimeout> | undefined;

  /** @param end ends the connection */
  constructor(end: () => void) {
    this.#end = end;
  }

  /** Called when the connection begins, and for everything that arrives. @param longest time until the next arrival, in ms */
  expect(longest: number): void {
    this.stop();
    this.#alarm = setTimeout(() => {
      void doubtService();
      this.#end();
    }, longest);
  }

  stop(): void {
    clearTimeout(this.#alarm);
  }
}
