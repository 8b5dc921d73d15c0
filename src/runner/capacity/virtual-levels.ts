/** Carries out the runs of a search in virtual time: several at a time, each in a thread of its own. */
import { pathFrom } from '../../kernel/program-files.js';
import type { Plan } from '../../scenario/model/plan.js';
import { errorOf } from '../divided/messages.js';
import { AnsweringThread, Places } from '../threads.js';
import { packProfiles } from '../world/plan-profiles.js';
import type { LevelRecord } from './judge-level.js';
import type { LevelAnswer, LevelRequest } from './level-thread-main.js';
import type { Levels, Measurement } from './levels.js';
import { type LevelSettings, runLevel } from './run-level.js';

/** Runs in this thread and in further ones. The result of a run is the same in each of them. */
export class VirtualLevels implements Levels {
  readonly #places: Places<LevelPlace>;
  readonly atOnce: number;

  constructor(settings: LevelSettings, atOnce: number) {
    this.atOnce = atOnce;
    this.#places = new Places<LevelPlace>(
      atOnce,
      { run: (plan, signal) => runLevel(plan, settings, signal) },
      () => new LevelThread(settings),
    );
  }

  async measure(plan: Plan, signal: AbortSignal): Promise<Measurement | undefined> {
    const record = await this.#places.use(signal, (place) => place.run(plan, signal));
    return record && { record, recovery: 0 };
  }

  async close(): Promise<void> {
    await this.#places.close();
  }
}

interface LevelPlace {
  run(plan: Plan, signal: AbortSignal): Promise<LevelRecord | undefined>;
}

/** A thread that makes one run after another. */
class LevelThread extends AnsweringThread<LevelRequest, LevelAnswer> implements LevelPlace {
  readonly #settings: LevelSettings;

  constructor(settings: LevelSettings) {
    super(pathFrom(import.meta.url, 'level-thread.mjs'));
    this.#settings = settings;
  }

  /** @throws GhostfleetError if the run could not be made; Error if the thread has failed */
  async run(plan: Plan, signal: AbortSignal): Promise<LevelRecord | undefined> {
    const { profiles, connectorHosts } = this.#settings;
    const answer = await this.ask({ plan, profiles: packProfiles(plan, profiles), connectorHosts }, signal);
    if ('failure' in answer) throw errorOf(answer.failure);
    return answer.record;
  }
}
