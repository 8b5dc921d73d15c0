/** The sentence in the result of a run that is invalid because it lost workers. */
import { humanCount } from '../../kernel/quantity.js';
import { humanDuration, sinceStart } from '../../kernel/time.js';
import type { WorkerReport } from '../../report/result.js';

/** Which workers were lost, and which work with them; null if no worker was lost. */
export function spoiledByLoss(workers: readonly WorkerReport[] = []): string | null {
  const lost = workers.flatMap(({ number, host, pid, devices, lost: loss }) => {
    if (loss === null) return [];
    const { at, why, uplinks, downlinks, steps, requests } = loss;
    const work = [
      counted(devices, 'device'),
      ...[counted(uplinks, 'uplink'), counted(downlinks, 'pending downlink'), counted(steps, 'step')],
      counted(requests, 'request'),
    ];
    return `worker ${number} (${host}, process ${pid}) was lost at ${humanDuration(sinceStart(at))} (${why}), and with it ${list(work.flatMap((each) => each ?? []))}`;
  });
  return lost.length === 0 ? null : lost.join('; ');
}

/** `2 devices`; undefined for 0. */
function counted(count: number, what: string): string | undefined {
  return count === 0 ? undefined : `${humanCount(count)} ${what}${count === 1 ? '' : 's'}`;
}

function list(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}
