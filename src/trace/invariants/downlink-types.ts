/** Types of downlinks, as the invariants tell them apart. */
import type { DownlinkType } from '../events.js';

/** The cloud queues the others itself. */
export function isUserType(type: DownlinkType): boolean {
  return type !== 'session' && type !== 'timestamp';
}

/** The cloud sees an answer to these: a message, or a new configuration. */
export function isAnsweredType(type: DownlinkType): boolean {
  return type === 'shell' || type === 'config';
}
