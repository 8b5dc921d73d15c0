/**
 * Measures the time from `startService()` to the first answered request, compared with a bare start of Node. Every test that
 * uses the library waits for this time.
 */
import { DeviceCloudClient, startService } from '../src/index.js';
import type { Bench } from './result.js';
import { size } from './size.js';
import { timeOf } from './start.js';

/** How many times as long as a bare start of Node it may take. */
const MOST = 4;
const ROUNDS = size({ quick: 4, usual: 10 });

export const firstAnswer: Bench = {
  name: 'first-answer',
  async run() {
    // The limit applies to the first service of the process, which also compiles code that later services share.
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) times.push(await once());
    const first = times[0] ?? 0;
    const later = times.slice(1).toSorted((a, b) => a - b)[Math.floor((ROUNDS - 1) / 2)] ?? 0;
    const bare = Math.min(...Array.from({ length: ROUNDS }, () => timeOf(process.execPath, ['-e', '0'])));
    return [
      {
        what: 'a start of Node, against startService() to the first answered request',
        ratio: bare / first,
        limit: 1 / MOST,
        detail: `${bare.toFixed(0)} ms; first ${first.toFixed(0)} ms, later ones ${later.toFixed(0)} ms`,
      },
    ];
  },
};

async function once(): Promise<number> {
  const began = performance.now();
  const service = await startService();
  const client = new DeviceCloudClient({
    baseUrl: service.api,
    apiKey: service.apiKey ?? '',
    spaceId: service.spaceId,
  });
  await client.countDevices();
  const took = performance.now() - began;
  await client.close();
  await service.close();
  return took;
}
