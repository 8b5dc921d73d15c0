/** The workers of a run: where its parts are carried out. */
import type { GhostfleetError } from '../../kernel/errors.js';
import type { Millis } from '../../kernel/time.js';
import type { RunChannel } from './channel.js';
import type { PartTask } from './messages.js';

export interface Crew {
  /** Time from the command to start until the start, in which it reaches all parts. */
  readonly lead: Millis;
  /** The shared clock of all parts. @throws ChannelLost */
  sharedNow(): Promise<Millis>;
  /**
   * Gives each task to a worker, and returns the connections to them.
   * @param apiKey of the cloud that they use. Secret.
   * @throws ChannelLost if the workers cannot be reached
   */
  engage(tasks: readonly PartTask[], apiKey: string): Promise<readonly RunChannel[]>;
  /** Makes the parts fail that no worker has taken. */
  giveUp(reason: GhostfleetError): Promise<void>;
  /** The worker of the part `number` counts as lost: if it still runs, it ends its part and deletes what it created. */
  dismiss(number: number): Promise<void>;
  /** Dismisses all workers. */
  close(): Promise<void>;
}
