/**
 * Ctrl-C and termination signals: the first asks the command to end, the second exits. Early signals are kept. Node.js passes a
 * signal on when the running code has returned, and drops it if nothing listens then. So the process listens all the time, and
 * ends itself as the system would if no command does.
 */
import type { Alarm, Clock } from '../kernel/clock.js';
import { EXIT } from '../kernel/errors.js';
import { RealClock } from '../kernel/real-clock.js';
import { type Millis, seconds } from '../kernel/time.js';
import type { Host, InterruptHandler } from './host.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** A repeated signal within this time is the same Ctrl-C: the terminal sends it to all processes, and npm forwards it again. */
const ECHO: Millis = 300;
/** Time after which a message explains that the program is still ending. */
const PATIENCE: Millis = seconds(2);

interface Listener {
  readonly handler: InterruptHandler;
  readonly left: (() => string | undefined) | undefined;
}

export class Interrupts {
  readonly #self: NodeJS.Process;
  readonly #clock: Clock;
  readonly #listeners = new Set<Listener>();
  #firstAt: number | undefined;
  #reminder: Alarm | undefined;
  /** Whether the command has not begun, so that it may still listen. */
  #isHolding = true;
  /** A signal that no handler has received yet. */
  #held: string | undefined;

  /** Holds all signals until a command listens to them, or {@link release}. */
  constructor(self: NodeJS.Process, clock: Clock = new RealClock()) {
    this.#self = self;
    this.#clock = clock;
    for (const signal of SIGNALS) self.on(signal, this.interrupt);
    this.#followParent();
  }

  /** Whether a signal has asked the command to end. */
  get wasInterrupted(): boolean {
    return this.#firstAt !== undefined;
  }

  /** Called when the command has begun: without a handler, a signal ends the process from now on. */
  release(): void {
    this.#isHolding = false;
    if (this.#listeners.size === 0 && this.#held !== undefined) this.#endBy(this.#held);
  }

  /** See {@link Host.onInterrupt}. */
  listen(handler: InterruptHandler, left?: () => string | undefined): () => void {
    const listener = { handler, left };
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined) void Promise.resolve().then(() => this.interrupt(held));
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#isHolding = false;
      this.#reminder?.cancel();
    };
  }

  /** Called for a signal, or for Ctrl-C read as a key press in raw mode. */
  readonly interrupt = (signal: string): void => {
    if (this.#listeners.size === 0) {
      if (this.#isHolding) this.#held ??= signal;
      else this.#endBy(signal);
      return;
    }
    if (this.#firstAt !== undefined) {
      if (this.#clock.now - this.#firstAt > ECHO) this.#endAtOnce('quit immediately');
      return;
    }
    this.#firstAt = this.#clock.now;
    this.#reminder = this.#clock.after(PATIENCE, 'the message that the program is shutting down', () =>
      this.#say('shutting down; press Ctrl-C again to quit immediately'),
    );
    for (const { handler } of this.#listeners) handler(signal);
  };

  /** Ends this process, as a closed terminal does, when the process that has started it with a channel is gone, even killed. */
  #followParent(): void {
    const end = () => this.interrupt('SIGHUP');
    if (this.#self.connected === false) return end();
    this.#self.once('disconnect', end);
    // Otherwise the channel would keep this process alive when its command has ended. Who waits for messages needs it.
    if (this.#self.listenerCount('message') === 0) this.#self.channel?.unref();
  }

  #endBy(signal: string): void {
    this.#say(`interrupted by ${signal}`);
    for (const each of SIGNALS) this.#self.off(each, this.interrupt);
    // Not `exit`, which would wait for a thread that waits for the writer of a named pipe.
    this.#self.kill(this.#self.pid, signal);
  }

  #endAtOnce(why: string): void {
    const left = [...this.#listeners].flatMap((listener) => listener.left?.() ?? []);
    this.#say([why, ...left].join('; '));
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

export function awaitInterruption(host: Host, left?: () => string): Interruption {
  let forget = () => {};
  const happens = new Promise<void>((resolve) => {
    forget = host.onInterrupt(() => resolve(), left);
  });
  return { happens, forget };
}
