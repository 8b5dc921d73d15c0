/**
 * Scenarios that the user writes on the page: their check, their plan, and the run of one of them. Only the service of a run in
 * real time offers this.
 */
import { signal } from '@preact/signals';
import { JsonHttp } from '../../../src/client/http.js';
import type { ScenarioCheck, Scenarios, ScenarioWords } from '../../../src/control/scenarios.js';
import { isOver, pauseLength } from '../api/answering.js';
import { ofBrowser, ofTab } from '../platform/storage.js';
import { Drafts } from './drafts.js';

export type ScenarioRun = Scenarios['state'];

/** The texts of the editor. */
export const drafts = new Drafts(
  ofBrowser,
  ofTab,
  () => `${Date.now().toString(36)}-${performance.now().toString(36)}`,
);
/** The check of the text; undefined before the first one. */
export const checked = signal<ScenarioCheck | undefined>(undefined);
/** The latest scenario that was run from a page. */
export const scenarioRun = signal<ScenarioRun>({ state: 'none' });

const EMPTY: ScenarioCheck = {
  problems: [{ line: 1, column: 1, message: 'the scenario is empty; open an example to begin with' }],
  ...{ warnings: [], plan: null },
};

/** Interval at which the state of a running scenario is read, in ms. */
const EVERY = 500;

export class ScenarioClient {
  readonly #http = new JsonHttp({ baseUrl: location.origin });
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Identity of the latest check. The answer to an earlier check may arrive later; it is then discarded. */
  #check: object | undefined;

  /** @throws ApiError 404 at a service without a run, 401 without control of it */
  async words(): Promise<ScenarioWords> {
    // The cast is safe because src/control answers with this type.
    return (await this.#http.request('GET', '/scenarios')) as ScenarioWords;
  }

  async example(name: string): Promise<string> {
    const { text } = (await this.#http.request('GET', '/scenarios/example', { name })) as { readonly text: string };
    return text;
  }

  /**
   * Checks a text. If the request fails, {@link checked} becomes undefined, because the verdict on an earlier text would
   * mislead.
   */
  async check(text: string): Promise<ScenarioCheck> {
    const own = {};
    this.#check = own;
    const put = (verdict: ScenarioCheck | undefined) => {
      if (this.#check === own) checked.value = verdict;
    };
    try {
      const answer = text.trim() === '' ? EMPTY : await this.#verdict(text);
      put(answer);
      return answer;
    } catch (error) {
      put(undefined);
      throw error;
    }
  }

  async #verdict(text: string): Promise<ScenarioCheck> {
    return (await this.#http.request('POST', '/scenarios/check', {}, { text })) as ScenarioCheck;
  }

  async start(text: string, seed: number | undefined): Promise<void> {
    const body = { text, ...(seed !== undefined && { seed }) };
    const before = scenarioRun.value;
    scenarioRun.value = { state: 'starting' };
    try {
      scenarioRun.value = (await this.#http.request('POST', '/scenarios/run', {}, body)) as ScenarioRun;
    } catch (error) {
      scenarioRun.value = before;
      throw error;
    }
    this.#later();
  }

  async stop(): Promise<void> {
    await this.#http.request('DELETE', '/scenarios/run');
    await this.follow();
  }

  /** Reads the state of the run, and repeats this while the run is in progress. */
  async follow(): Promise<void> {
    scenarioRun.value = (await this.#http.request('GET', '/scenarios/run')) as ScenarioRun;
    this.#later();
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  /** @param failures how many requests in a row have failed */
  #later(failures = 0): void {
    clearTimeout(this.#timer);
    if (isOver.peek()) return;
    const { state } = scenarioRun.value;
    if (state !== 'running' && state !== 'starting') return;
    this.#timer = setTimeout(
      () => void this.follow().catch(() => this.#later(failures + 1)),
      pauseLength(failures + 1, EVERY),
    );
  }
}
