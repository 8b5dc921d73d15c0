/** Carries out a search for a capacity: asks search.ts what to measure, and has it measured, several runs at a time. */
import type { LevelRun } from '../../report/capacity/result.js';
import type { Plan } from '../../scenario/model/plan.js';
import { planDigest } from '../../scenario/plan/describe.js';
import { judgeLevel } from './judge-level.js';
import type { Levels, Measurement } from './levels.js';
import { type Ask, nextStep, type SearchRange, stepsAhead } from './search.js';

interface FindOptions {
  readonly range: SearchRange;
  readonly levels: Levels;
  /** The plan of a level. Each repetition has the next seed. */
  readonly planAt: (value: number, repetition: number) => Plan;
  /** Runs of an earlier search that this one continues. */
  readonly known: readonly LevelRun[];
  /** Ends the search with what is known. */
  readonly signal: AbortSignal;
  /** Called for each run that the search has used, in their order, with all of them. */
  readonly onRun: (runs: readonly LevelRun[]) => void;
}

/** What a search has measured. */
export interface Found {
  /** In the order in which the search used them; the same for any number of runs at a time. */
  readonly runs: readonly LevelRun[];
  /** Whether the search came to its end, and found all that it looked for. */
  readonly end: { readonly holds: number | null; readonly fails: number | null } | undefined;
}

/** @throws GhostfleetError if a run cannot be made */
export async function findBorder(options: FindOptions): Promise<Found> {
  const { range, levels, onRun } = options;
  const runs: LevelRun[] = [];
  const begun = new Begun(options);
  try {
    for (;;) {
      const step = nextStep(range, runs);
      if (step.step === 'end') return { runs, end: step };
      begun.continue(stepsAhead(range, runs, levels.atOnce));
      const measured = await begun.resultOf(step);
      if (measured === undefined) return { runs, end: undefined };
      const run = 'kind' in measured ? measured : runOf(step, measured, runs[0]);
      runs.push(run);
      onRun(runs);
      // A target that does not recover would let all further levels fail.
      if (run.recovery === null) return { runs, end: undefined };
    }
  } finally {
    await begun.end();
  }
}

function runOf({ value, repetition }: Ask, { record, recovery }: Measurement, lowest: LevelRun | undefined): LevelRun {
  const { verdict: _, ...rest } = record;
  return { value, repetition, ...judgeLevel(record, lowest?.service ?? null), recovery, ...rest };
}

/** A new run, or one of an earlier search. */
type Result = Measurement | LevelRun;

/** The runs that have begun: the one that the search waits for, and those that it may want next. */
class Begun {
  readonly #options: FindOptions;
  readonly #running = new Map<string, { readonly result: Promise<Result | undefined>; readonly stop: () => void }>();
  /** Also of runs that were stopped. */
  readonly #results: Promise<unknown>[] = [];

  constructor(options: FindOptions) {
    this.#options = options;
  }

  /** Begins these runs, and ends all others. */
  continue(asks: readonly Ask[]): void {
    const wanted = new Set(asks.map(nameOf));
    for (const [name, { stop }] of this.#running) {
      if (wanted.has(name)) continue;
      stop();
      this.#running.delete(name);
    }
    for (const ask of asks) if (!this.#running.has(nameOf(ask))) this.#begin(ask);
  }

  /** Undefined if the search was ended. */
  async resultOf(ask: Ask): Promise<Result | undefined> {
    return this.#running.get(nameOf(ask))?.result;
  }

  async end(): Promise<void> {
    for (const { stop } of this.#running.values()) stop();
    await Promise.all(this.#results);
  }

  #begin(ask: Ask): void {
    const { levels, planAt, signal, known } = this.#options;
    const own = new AbortController();
    const plan = planAt(ask.value, ask.repetition);
    const digest = planDigest(plan);
    // Levels with the same plan differ in their value; a run of another value would be no answer.
    const before = known.find(
      (run) =>
        run.plan === digest && run.value === ask.value && run.repetition === ask.repetition && run.recovery !== null,
    );
    const result: Promise<Result | undefined> =
      before || signal.aborted ? Promise.resolve(before) : levels.measure(plan, AbortSignal.any([own.signal, signal]));
    // An error counts when the search waits for the result.
    this.#results.push(result.catch(() => {}));
    this.#running.set(nameOf(ask), { result, stop: () => own.abort() });
  }
}

function nameOf({ value, repetition }: Ask): string {
  return `${value}/${repetition}`;
}
