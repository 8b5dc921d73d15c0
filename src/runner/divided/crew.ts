/** The workers of a run: where its parts are carried out. */
import type { GhostfleetError } from '../../kernel/errors.js';
import type { Millis } from '../../kernel/time.js';
import type { WorldOptions } from '../world/options.js';
import type { RunChannel } from './channel.js';
import type { PartTask } from './messages.js';

/** What a run needs to be divided among workers. */
export interface DividedOptions extends WorldOptions {
  readonly crew: Crew;
  /** Number of parts. */
  readonly workers: number;
}

export interface Crew {
  /** Time between sending the start command and the start itself: long enough for the command to reach all parts. */
  readonly lead: Millis;
  /** The shared clock of all parts. @throws ChannelLost */
  sharedNow(): Promise<Millis>;
  /**
   * Gives each task to a worker, and returns the connections with the workers.
   * @param apiKey API key of the cloud that the parts use together; empty if each part has its own cloud. Secret.
   * @throws ChannelLost if the workers cannot be reached
   */
  engage(tasks: readonly PartTask[], apiKey: string): Promise<readonly RunChannel[]>;
  /** Makes all parts that no worker has taken fail for this reason. */
  giveUp(reason: GhostfleetError): Promise<void>;
  /**
   * Called when the worker of part `number` counts as lost, to end the part if the worker still runs. A worker in another
   * process then deletes what it created; a thread is ended at once.
   */
  dismiss(number: number): Promise<void>;
  /** Dismisses all workers. */
  close(): Promise<void>;
}
