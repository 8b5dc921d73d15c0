/** Virtual time that pauses at the end of each window, so that no thread of a run gets far ahead of the others. */
import type { Instant, Millis, UnixMillis } from '../../kernel/time.js';
import { VirtualClock } from '../../kernel/virtual-clock.js';

interface WindowOptions {
  readonly start: UnixMillis;
  readonly window: Millis;
  /** Called when a window is complete; time stands still until the promise resolves. */
  readonly pause: () => Promise<void>;
}

export class WindowClock extends VirtualClock {
  readonly #window: Millis;
  readonly #pause: () => Promise<void>;
  #end: Instant;

  constructor({ start, window, pause }: WindowOptions) {
    super({ start });
    this.#window = window;
    this.#pause = pause;
    this.#end = window;
  }

  override async runUntil(deadline: Instant): Promise<void> {
    while (this.#end < deadline) {
      await super.runUntil(this.#end);
      this.#end += this.#window;
      await this.#pause();
    }
    await super.runUntil(deadline);
  }
}
