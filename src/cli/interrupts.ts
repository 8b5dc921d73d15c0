/** Ctrl-C and termination signals: the first one asks the command to end, a second one exits the process. */
import type { Alarm, Clock } from '../kernel/clock.js';
import { EXIT } from '../kernel/errors.js';
import { type Millis, seconds } from '../kernel/time.js';
import type { Host, InterruptHandler } from './host.js';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
/** A repeated signal within this time is the same Ctrl-C: the terminal sends it to all processes, and npm forwards it again. */
const ECHO: Millis = 300;
/** Time after which a message explains that the program is still ending. */
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

  /** See {@link Host.onInterrupt}. Without a handler, the system ends the process. */
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

  /** Called for a signal, or for Ctrl-C read as a key press in raw mode. */
  readonly interrupt = (signal: string): void => {
    if (this.#firstAt !== undefined) {
      if (this.#clock.now - this.#firstAt > ECHO) this.#endAtOnce();
      return;
    }
    this.#firstAt = this.#clock.now;
    this.#reminder = this.#clock.after(PATIENCE, 'the message that the program is shutting down', () =>
      this.#say('shutting down; press Ctrl-C again to quit immediately'),
    );
    for (const { handler } of this.#listeners) handler(signal);
  };

  #endAtOnce(): void {
    const left = [...this.#listeners].flatMap((listener) => listener.left ?? []);
    this.#say(['quit immediately', ...left].join('; '));
    this.#self.exit(EXIT.interrupted);
  }

  #say(sentence: string): void {
    this.#self.stderr.write(`ghostfleet: ${sentence}\n`);
  }
}

/** The first interrupt of a command that runs until it is interrupted. */
interface Interruption {
  readonly happens: Promise<void>;
  /** Removes the handler. */
  readonly forget: () => void;
}

export function interruption(host: Host, left?: string): Interruption {
  let forget = () => {};
  const happens = new Promise<void>((resolve) => {
    forget = host.onInterrupt(() => resolve(), left);
  });
  return { happens, forget };
}
