/** Logs corrections of the calendar clock. The service follows it, but a device's messages stay in order (ADR 16). */
import type { Clock } from '../../kernel/clock.js';
import type { Log } from '../../kernel/log.js';
import { type Millis, seconds } from '../../kernel/time.js';
import { timeOfId } from '../store/order.js';
import type { Store } from '../store/store.js';

const NOTICEABLE = seconds(1);

/** Returns the function to call with the size of a correction. */
export function logCorrections(log: Log): (by: Millis) => void {
  return (by) => log.warn({ by: `${Math.round(by / 1000)} s` }, 'the clock of this machine was corrected');
}

/** Logs a clock that is behind the newest stored message: the clock was corrected while the service did not run. */
export async function compareClock(store: Store, clock: Clock, log: Log): Promise<void> {
  const newest = await store.newestMessage();
  const behind = newest === undefined ? 0 : timeOfId(newest) - clock.wall;
  if (behind <= NOTICEABLE) return;
  log.warn(
    { behind: `${Math.round(behind / 1000)} s` },
    'the clock of this machine is behind the newest stored message: new messages of its device get the time of that message',
  );
}
