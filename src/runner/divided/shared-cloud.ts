/** The cloud that all parts of a run use, as the run sees it. */
import type { UnixMillis } from '../../kernel/time.js';
import type { LeftThing } from '../../report/result.js';
import type { Plan } from '../../scenario/model/plan.js';
import type { MadeThing } from '../world/clean-up.js';
import type { SharedThings } from '../world/run-world.js';
import type { PartCloud } from './messages.js';

export interface SharedCloud {
  /** Key of its API. Secret. */
  readonly apiKey: string;
  readonly spaceId: string;
  /** When the run began, by the clock of the cloud. */
  readonly since: UnixMillis;
  /** The resources that {@link SharedCloud.setUp} created, oldest first. */
  readonly made: readonly MadeThing[];
  /** How each part reaches the cloud: its address, and the part's share of the rate limit. @param workers number of parts */
  reachedBy(workers: number): PartCloud;
  /**
   * Runs the setup of the scenario, and creates all tags that groups and steps name. @throws UsageError for the first failure
   */
  setUp(plan: Plan, signal: AbortSignal): Promise<SharedThings>;
  /** Called when all parts begin. */
  begin(): void;
  /** Called when all parts have ended. */
  end(): void;
  /**
   * Deletes what was created, including the devices of lost workers.
   * @param lost the parts of the plan that lost workers had
   * @returns what could not be deleted
   */
  tidy(lost: readonly Plan[]): Promise<readonly LeftThing[]>;
  close(): Promise<void>;
}
