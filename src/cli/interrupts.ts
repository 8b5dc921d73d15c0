/** Ctrl-C and its like: the first asks the command to end, a second one ends the process. */
import type { Alarm, Clock } from '../kernel/clock.js';
import { EXIT } from '../kernel/errors.js';
import { type Millis, seconds } from '../kernel/time.js';
import type { Host, InterruptHandler } from './host.js';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
/** npm and others pass on the Ctrl-C that the terminal has sent to all processes: that is one, not two. */
const ECHO: Millis = 300;
/** When users begin to wonder what takes so long. */
const PATIENCE: Millis = seconds(2);

interface Listener {
  readonly handler: InterruptHandler;
  readonly left: string | undefined;
}

export class Interrupts {
  readonly #self: NodeJS.Process;
  readonly #clock: Clock;
  readonly #listeners = new Set<Listener>();
  #firstAt: number | undefined;
  #reminder: Alarm | undefined;

  constructor(self: NodeJS.Process, clock: Clock) {
    this.#self = self;
    this.#clock = clock;
  }

  /** As {@link Host.onInterrupt} says. While nobody listens, the system ends the process. */
  listen(handler: InterruptHandler, left?: string): () => void {
    const listener = { handler, left };
    if (this.#listeners.size === 0) for (const signal of SIGNALS) this.#self.on(signal, this.interrupt);
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      for (const signal of SIGNALS) this.#self.off(signal, this.interrupt);
      this.#reminder?.cancel();
    };
  }

  /** A signal has come, or Ctrl-C where it is none. */
  readonly interrupt = (signal: string): void => {
    if (this.#firstAt !== undefined) {
      if (this.#clock.now - this.#firstAt > ECHO) this.#endAtOnce();
      return;
    }
    this.#firstAt = this.#clock.now;
    this.#reminder = this.#clock.after(PATIENCE, 'a word about what takes so long', () =>
      this.#say('still coming to an end; one more Ctrl-C ends it at once'),
    );
    for (const { handler } of this.#listeners) handler(signal);
  };

  #endAtOnce(): void {
    const left = [...this.#listeners].flatMap((listener) => listener.left ?? []);
    this.#say(['ended at once', ...left].join('; '));
    this.#self.exit(EXIT.interrupted);
  }

  #say(sentence: string): void {
    this.#self.stderr.write(`ghostfleet: ${sentence}\n`);
  }
}

/** For commands that go on until they are interrupted. */
interface Interruption {
  readonly happens: Promise<void>;
  /** Nothing is left to be interrupted. */
  readonly forget: () => void;
}

export function interruption(host: Host, left?: string): Interruption {
  let forget = () => {};
  const happens = new Promise<void>((resolve) => {
    forget = host.onInterrupt(() => resolve(), left);
  });
  return { happens, forget };
}
