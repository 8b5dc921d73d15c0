/** Ends a run when a signal says so. */
import { InterruptedError } from '../kernel/errors.js';
import type { WorldControl } from './world/options.js';

/**
 * @param by what the signal belongs to, as the failure of the run names it
 * @param run passes on the control of the run when it has started
 */
export async function endBySignal<T>(
  signal: AbortSignal,
  by: string,
  run: (started: (control: Pick<WorldControl, 'stop'>) => void) => Promise<T>,
): Promise<T> {
  let control: Pick<WorldControl, 'stop'> | undefined;
  const interrupt = () => control?.stop(new InterruptedError(by));
  signal.addEventListener('abort', interrupt);
  try {
    return await run((started) => {
      control = started;
      if (signal.aborted) interrupt();
    });
  } finally {
    signal.removeEventListener('abort', interrupt);
  }
}
