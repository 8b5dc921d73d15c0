/** What lost workers mean for a run. */
import { humanDuration, sinceStart } from '../../kernel/time.js';
import type { WorkerReport } from '../../report/result.js';

/** Why lost workers make a run invalid; null without any. */
export function spoiledByLoss(workers: readonly WorkerReport[] = []): string | null {
  const lost = workers.flatMap(({ number, host, pid, lost: loss }) => {
    if (loss === null) return [];
    const { at, why, devices } = loss;
    return `worker ${number} (${host}, process ${pid}) was lost at ${humanDuration(sinceStart(at))} with ${devices} devices: ${why}`;
  });
  return lost.length === 0 ? null : lost.join('; ');
}
