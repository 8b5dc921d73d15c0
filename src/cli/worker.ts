/** `ghostfleet worker`: carries out parts of runs that other machines begin. */
import { hostname } from 'node:os';
import { pid } from 'node:process';
import { EXIT, type ExitCode, InterruptedError, UsageError } from '../kernel/errors.js';
import { defineCommand } from './command.js';
import type { Host } from './host.js';
import { findQueueOfWorker, QUEUE } from './queue.js';
import { readVersion } from './version.js';

interface WorkerFlags {
  readonly queue: string | undefined;
  readonly 'api-key': string | undefined;
}

export const worker = defineCommand<WorkerFlags>(
  (parser) =>
    parser.option('queue', QUEUE).option('api-key', {
      type: 'string',
      requiresArg: true,
      describe: 'API key of the cloud that the runs use, the same key as in these runs; also GHOSTFLEET_API_KEY',
    }),
  execute,
);

async function execute(flags: WorkerFlags, host: Host): Promise<ExitCode> {
  const url = findQueueOfWorker(flags.queue, host);
  const apiKey = flags['api-key'] ?? host.env.GHOSTFLEET_API_KEY;
  if (apiKey === undefined) {
    throw new UsageError('bad-flags', 'a worker requires an API key', 'use --api-key or set GHOSTFLEET_API_KEY');
  }
  const { startWorker } = await import('../runner/divided/queue/worker.js');
  const say = (sentence: string) => host.out.write(`${sentence}\n`);
  const running = await startWorker({
    url,
    apiKey,
    version: readVersion(),
    say,
    meter: host.meter,
  });
  say(`worker in process ${pid} on ${hostname()} waits for parts of runs at ${running.queue}`);
  const stopped = new Promise<void>((resolve, reject) => {
    const forget = host.onInterrupt(
      (signal) => void running.stop(new InterruptedError(signal)).then(resolve, reject).finally(forget),
      () => 'what the worker created may still exist',
    );
  });
  await Promise.race([stopped, running.over.then(() => stopped)]);
  return EXIT.fine;
}
