/**
 * Loaded before a measured program. When the process ends, it writes the resource usage of the process into the file that
 * `BENCH_USAGE` names.
 */
import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  process.once('exit', () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
    const used = { cpu: (userCPUTime + systemCPUTime) / 1000, memory: maxRSS * 1024 };
    writeFileSync(process.env.BENCH_USAGE ?? '', JSON.stringify(used));
  });
}
