/**
 * The scenarios of the web console: checks the text of a scenario, shows its plan, and runs it. A run that the page starts has
 * a process and a cloud of its own, in virtual time; it changes nothing in the run that serves the page.
 */
import { ApiFault } from '../cloud/http/errors.js';
import type { PlanTimeline } from '../scenario/plan/timeline.js';
import type { RunVerdict } from './run-state.js';

/** Names that scenarios can use; the editor completes them. */
export interface ScenarioNames {
  /** JSON schema of scenarios. */
  readonly schema: object;
  readonly profiles: readonly Word[];
  readonly metrics: readonly Word[];
}

export interface ScenarioWords extends ScenarioNames {
  /** Names of the packaged scenarios. */
  readonly examples: readonly string[];
}

interface Word {
  readonly name: string;
  readonly about: string;
}

export interface ScenarioCheck {
  /** Empty if the scenario is valid. */
  readonly problems: readonly ScenarioProblem[];
  /** Steps and faults without an effect, as sentences. */
  readonly warnings: readonly string[];
  /** Null if the scenario is not valid. */
  readonly plan: PlanTimeline | null;
}

interface ScenarioProblem {
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
  readonly message: string;
}

/** A run that has ended with a result. */
export interface ScenarioEnd {
  readonly verdict: RunVerdict;
  /** Writes its whole report as an HTML page. */
  readonly report: () => string;
}

/** The parts of the program that scenarios need. */
export interface ScenarioTools {
  words(): Promise<ScenarioWords>;
  /** The text of a packaged scenario; undefined for an unknown name. */
  example(name: string): string | undefined;
  check(text: string): Promise<ScenarioCheck>;
  /** Runs a scenario that was checked. @param progress called with a sentence from time to time */
  run(text: string, seed: number | undefined, progress: (sentence: string) => void): ScenarioProcess;
  close(): Promise<void>;
}

export interface ScenarioProcess {
  /** The result; if the run has none, a sentence with the reason. Never rejects. */
  readonly ended: Promise<ScenarioEnd | string>;
  stop(): void;
}

interface Begun {
  readonly name: string;
  readonly seed: number;
  readonly devices: number;
  readonly durationMs: number;
}

type ScenarioRunState =
  | { readonly state: 'none' }
  /** The text of the scenario is being checked, which takes seconds for a large fleet. */
  | { readonly state: 'starting' }
  | (Begun & { readonly state: 'running'; readonly progress: string })
  | (Begun & { readonly state: 'ended'; readonly verdict: RunVerdict })
  | (Begun & { readonly state: 'failed'; readonly message: string })
  | (Begun & { readonly state: 'stopped' });

/** The latest run that a page started. Only one runs at a time, so that pages cannot overload the machine. */
export class Scenarios {
  readonly tools: ScenarioTools;
  #state: ScenarioRunState = { state: 'none' };
  #child: ScenarioProcess | undefined;
  #report: (() => string) | undefined;

  constructor(tools: ScenarioTools) {
    this.tools = tools;
  }

  get state(): ScenarioRunState {
    return this.#state;
  }

  /** The report of the latest run as an HTML page; undefined if it has none. */
  get report(): string | undefined {
    return this.#state.state === 'ended' ? this.#report?.() : undefined;
  }

  /** @throws ApiFault 409 while another scenario runs, and if this one is stopped during its check; 400 if it is invalid */
  async start(text: string, seed: number | undefined): Promise<ScenarioRunState> {
    if (this.#child || this.#state.state === 'starting') {
      throw new ApiFault(409, 'another scenario runs; stop it first', 'busy');
    }
    const starting: ScenarioRunState = { state: 'starting' };
    const before = this.#state;
    this.#state = starting;
    let plan: PlanTimeline;
    try {
      plan = await this.#planOf(text);
    } catch (error) {
      if (this.#state === starting) this.#state = before;
      throw error;
    }
    if (this.#state !== starting) throw new ApiFault(409, 'the scenario was stopped before it began', 'stopped');
    const { scenario: name, devices, durationMs } = plan;
    const begun = { name, seed: seed ?? plan.seed, devices, durationMs };
    const child = this.tools.run(text, seed, (progress) => {
      if (this.#child === child) this.#state = { ...begun, state: 'running', progress };
    });
    this.#child = child;
    this.#state = { ...begun, state: 'running', progress: 'starting' };
    void child.ended.then((end) => {
      if (this.#child !== child) return;
      this.#child = undefined;
      this.#report = typeof end === 'string' ? undefined : end.report;
      this.#state =
        typeof end === 'string'
          ? { ...begun, state: 'failed', message: end }
          : { ...begun, state: 'ended', verdict: end.verdict };
    });
    return this.#state;
  }

  /** @throws ApiFault 400 */
  async #planOf(text: string): Promise<PlanTimeline> {
    const { problems, plan } = await this.tools.check(text);
    const [first] = problems;
    if (first) throw new ApiFault(400, `line ${first.line}: ${first.message}`, 'bad-scenario');
    if (!plan) throw new ApiFault(400, 'the scenario has no plan', 'bad-scenario');
    return plan;
  }

  /** Stops the running scenario, or the check before it; false if none runs. */
  stop(): boolean {
    if (this.#state.state === 'starting') {
      this.#state = { state: 'none' };
      return true;
    }
    const child = this.#child;
    if (!child || this.#state.state !== 'running') return false;
    const { progress: _, ...begun } = this.#state;
    this.#child = undefined;
    this.#state = { ...begun, state: 'stopped' };
    child.stop();
    return true;
  }

  /** Stops the running scenario, and waits until it has cleaned up. */
  async close(): Promise<void> {
    const child = this.#child;
    this.stop();
    await child?.ended;
    await this.tools.close();
  }
}
