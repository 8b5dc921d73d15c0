/** The present time, as a signal for texts such as "3 min ago". */
import { signal } from '@preact/signals';

/**
 * Unix time in ms: the time of the run, if there is one. Otherwise the time of this machine, but never earlier than that of the
 * latest event.
 */
export const now = signal(Date.now());

let ahead = 0;
let isOfRun = false;

export function startTime(): void {
  setInterval(() => {
    if (!document.hidden && !isOfRun) now.value = Date.now() + ahead;
  }, 1000);
}

/** Called for an event: `now` will not be earlier than its time. @param time in Unix ms */
export function seenAt(time: number): void {
  ahead = Math.max(ahead, time - Date.now());
}

/** Follows the time of a run, which may be paused. @param time of the run; undefined when the run has ended */
export function followRun(time: number | undefined): void {
  isOfRun = time !== undefined;
  if (time !== undefined) now.value = time;
}
