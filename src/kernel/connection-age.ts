/** The age of connections that later requests use again. */
import { type Millis, minutes } from './time.js';

/**
 * How long a connection is used again. A busy connection would otherwise stay with the address that its name had at the first
 * request, also if the name has moved to another server since then.
 */
export const LONGEST_REUSE: Millis = minutes(1);
