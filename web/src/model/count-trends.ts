/** The trends of the counters of a run, from its latest states. The browser keeps them for this tab: a reload continues them. */
import type { RunState } from '../../../src/control/run-state.js';
import type { Texts } from './drafts.js';

type Sample = Pick<RunState, 'now_ms' | 'counts'>;

const KEY = 'ghostfleet.counts';
/** Number of states that are kept: those of a minute. */
const MOST = 120;

export class CountTrends {
  readonly #store: Texts;
  #samples: readonly Sample[];

  constructor(store: Texts) {
    this.#store = store;
    this.#samples = read(store.get(KEY));
  }

  /** Takes a state. One that is earlier than the state before is of another run. */
  see({ now_ms, counts }: Sample): void {
    const last = this.#samples.at(-1)?.now_ms ?? -1;
    if (now_ms === last) return;
    this.#samples = [...(now_ms < last ? [] : this.#samples), { now_ms, counts }].slice(-MOST);
    this.#store.set(KEY, JSON.stringify(this.#samples));
  }

  /** The increase of a counter from each state to the next, per simulated minute. */
  ratesOf(name: string): readonly number[] {
    return this.#samples.slice(1).map(({ now_ms, counts }, n) => {
      const before = this.#samples[n];
      if (!before) return 0;
      return (((counts[name] ?? 0) - (before.counts[name] ?? 0)) / (now_ms - before.now_ms)) * 60_000;
    });
  }
}

function read(text: string | undefined): readonly Sample[] {
  try {
    // The cast is safe because only `see` writes the text.
    return JSON.parse(text ?? '[]') as readonly Sample[];
  } catch {
    return [];
  }
}
