/** The present time for texts such as "3 min ago": a signal that changes every second while the page is visible. */
import { signal } from '@preact/signals';

/** Unix time in ms. Never before the latest event: the time of a run may be ahead of the clock of this machine. */
export const now = signal(Date.now());

let ahead = 0;

export function startTime(): void {
  setInterval(() => {
    if (!document.hidden) now.value = Date.now() + ahead;
  }, 1000);
}

/** Takes an event at `time` into account, in Unix ms. */
export function seenAt(time: number): void {
  ahead = Math.max(ahead, time - Date.now());
}
