/** A stand-in for the tools of scenarios (src/control/scenarios.ts) without threads and processes. */
import type { ScenarioProcess, ScenarioTools } from '../../src/control/scenarios.js';
import { defineScenario } from '../../src/library/scenario.js';
import { planTimeline } from '../../src/scenario/plan/timeline.js';

export const WORDS = { schema: {}, profiles: [], metrics: [], examples: ['demo'] };

/** The running scenario, in place of a process. */
interface Child {
  end(end: Awaited<ScenarioProcess['ended']>): void;
  progress(sentence: string): void;
  isStopped: boolean;
}

const PLAN = defineScenario({
  name: 'small',
  seed: 7,
  duration: '1h',
  fleet: [{ name: 'clime', profile: 'clime', count: 2 }],
});

export class FakeTools implements ScenarioTools {
  #child: Child | undefined;

  /** The scenario that was run last. */
  get child(): Child {
    if (!this.#child) throw new Error('no scenario was run');
    return this.#child;
  }

  async words() {
    return WORDS;
  }

  example(name: string) {
    return name === 'demo' ? 'name: demo' : undefined;
  }

  /** Every text except "wrong" counts as valid. */
  async check(text: string) {
    return text === 'wrong'
      ? { problems: [{ line: 3, column: 1, message: 'unknown key' }], warnings: [], plan: null }
      : { problems: [], warnings: [], plan: planTimeline(PLAN) };
  }

  run(_text: string, _seed: number | undefined, progress: (sentence: string) => void): ScenarioProcess {
    let end: Child['end'] = () => {};
    const ended = new Promise<Awaited<ScenarioProcess['ended']>>((resolve) => {
      end = resolve;
    });
    const child = { end, progress, isStopped: false };
    this.#child = child;
    return {
      ended,
      stop: () => {
        child.isStopped = true;
      },
    };
  }

  async close() {}
}
