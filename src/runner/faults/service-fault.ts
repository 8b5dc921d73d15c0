/** What a fault of the embedded cloud does. A kind is one file in this folder, listed in index.ts. */
import type { Draws } from '../../kernel/random.js';
import type { Millis } from '../../kernel/time.js';
import type { ServiceFault } from '../../scenario/faults/service.js';

/** What becomes of a request to the API, or of a commit. */
export type Strike =
  | { readonly kind: 'answer'; readonly status: number }
  | { readonly kind: 'wait'; readonly by: Millis }
  | undefined;

export interface ServiceFaultBehaviour<F extends ServiceFault> {
  /** A request of a user of the API comes. */
  readonly request?: (fault: F, draws: Draws) => Strike;
  /** Whether what the service wants to write can not be written. */
  readonly noWrites?: true;
}
