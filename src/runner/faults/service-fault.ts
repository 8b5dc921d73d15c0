/** Behaviour of a fault of the embedded cloud. Each kind is one file in this folder, listed in index.ts. */
import type { Draws } from '../../kernel/random.js';
import type { Millis } from '../../kernel/time.js';
import type { ServiceFault } from '../../scenario/faults/service.js';
import type { StoreUse } from './store.js';

export interface ServiceFaultBehaviour<F extends ServiceFault> {
  /** The HTTP status with which to reject an API request; undefined if the request is processed normally. */
  readonly request?: (fault: F, draws: Draws) => number | undefined;
  /** Additional delay of an API request. */
  readonly delay?: (fault: F) => Millis;
  /** Whether the store fails for this use. */
  readonly stops?: (fault: F, use: StoreUse) => boolean;
  /** Set for a fault during which the process of the service is down. */
  readonly away?: true;
}
