/** The present time, as a signal for texts such as "3m ago". */
import { effect, signal } from '@preact/signals';
import { serviceTime } from '../api/service-time.js';
import { isShown } from '../api/shown.js';

/** Unix time in ms: the time of the run, if there is one, otherwise that of the service. */
export const now = signal(serviceTime());

let isOfRun = false;

export function startTime(): void {
  const update = () => {
    if (isShown.value && !isOfRun) now.value = serviceTime();
  };
  setInterval(update, 1000);
  // At once when the tab is shown again, or the clock of this machine turns out to be wrong.
  effect(update);
}

/** Follows the time of a run, which may be paused. @param time of the run; undefined when the run has ended */
export function followRun(time: number | undefined): void {
  isOfRun = time !== undefined;
  if (time !== undefined) now.value = time;
}
