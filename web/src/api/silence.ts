/**
 * Notices a connection that has become silent. Such a connection may be broken without an error: a cable was cut, or the
 * service hangs.
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
