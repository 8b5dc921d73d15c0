/** What a fault of the embedded cloud does. A kind is one file in this folder, listed in index.ts. */
import type { Draws } from '../../kernel/random.js';
import type { Millis } from '../../kernel/time.js';
import type { ServiceFault } from '../../scenario/faults/service.js';
import type { StoreUse } from './store.js';

export interface ServiceFaultBehaviour<F extends ServiceFault> {
  /** A request of a user of the API comes. The status to answer in its place; undefined: it goes on. */
  readonly request?: (fault: F, draws: Draws) => number | undefined;
  /** How much longer a request takes. */
  readonly delay?: (fault: F) => Millis;
  /** Whether the store cannot be used for that. */
  readonly stops?: (fault: F, use: StoreUse) => boolean;
  /** The process of the service is not there. */
  readonly away?: true;
}
