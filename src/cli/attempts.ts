/** The attempts of `shrink`: runs of scenario texts, several at a time, in the main thread and in further threads. */
import { Places } from '../runner/threads.js';
import { type AttemptOutcome, type AttemptSettings, runAttempt, tryAttempt } from './attempt.js';
import { AttemptThread } from './attempt-thread.js';
import type { Host } from './host.js';
import type { Profiles } from './read-files.js';

interface AttemptsOptions extends AttemptSettings {
  readonly profiles: Profiles;
  /** Maximum number of attempts at a time. */
  readonly workers: number;
}

/** Where an attempt runs: the main thread, or another one. */
type Place = Pick<AttemptThread, 'tryText'>;

/** Each thread makes one attempt after another: most attempts take less time than the start of a process. */
export class Attempts {
  readonly #options: AttemptsOptions;
  readonly #places: Places<Place>;
  /** Outcomes by text, because different reductions can lead to the same text. A text always has the same outcome. */
  readonly #outcomes = new Map<string, AttemptOutcome | undefined>();
  readonly #interrupt = new AbortController();
  readonly #forget: () => void;

  constructor(options: AttemptsOptions, host: Pick<Host, 'onInterrupt'>) {
    this.#options = options;
    const { workers, ...undivided } = options;
    const { file, allowFile, allowHost } = options;
    this.#places = new Places<Place>(
      workers,
      { tryText: (text, signal) => tryAttempt({ ...undivided, text }, signal) },
      () => new AttemptThread({ file, allowFile, allowHost }),
    );
    this.#forget = host.onInterrupt(() => this.#interrupt.abort());
  }

  /** Whether the user has interrupted the command. All attempts end then. */
  get interrupted(): boolean {
    return this.#interrupt.signal.aborted;
  }

  /** Runs the original scenario. Call it while no other attempt runs. @throws GhostfleetError if the scenario cannot be run */
  runFirst(text: string, seed: number): Promise<AttemptOutcome> {
    return runAttempt({ ...this.#options, text, seed }, this.#interrupt.signal);
  }

  /** Runs a text as the content of another file, with the profiles next to it. Call it while no other attempt runs. */
  runAs(file: string, text: string): Promise<AttemptOutcome | undefined> {
    const { profiles: _, ...settings } = this.#options;
    return tryAttempt({ ...settings, file, text }, this.#interrupt.signal);
  }

  /**
   * The outcome of a text; undefined for an invalid scenario, and for one that cannot be run.
   * @param signal ends the attempt early; the caller must then ignore its outcome. Without a signal, the attempt runs in the
   *   main thread at once, so no other attempt may run at the same time
   */
  async tryText(text: string, signal?: AbortSignal): Promise<AttemptOutcome | undefined> {
    if (this.#outcomes.has(text)) return this.#outcomes.get(text);
    const interrupt = this.#interrupt.signal;
    const ending = signal === undefined ? interrupt : AbortSignal.any([signal, interrupt]);
    const outcome =
      signal === undefined
        ? await tryAttempt({ ...this.#options, text }, ending)
        : await this.#places.use(ending, (place) => place.tryText(text, ending));
    // The outcome of an attempt that was ended says nothing about its text.
    if (!ending.aborted) this.#outcomes.set(text, outcome);
    return outcome;
  }

  async close(): Promise<void> {
    this.#forget();
    await this.#places.close();
  }
}
