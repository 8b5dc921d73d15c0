/** `ghostfleet worker`: carries out parts of runs that other machines begin. */
import { hostname } from 'node:os';
import { pid } from 'node:process';
import { EXIT, type ExitCode, InterruptedError } from '../kernel/errors.js';
import { readTelemetrySettings } from '../telemetry/settings.js';
import { defineCommand } from './command.js';
import type { Host } from './host.js';
import { findQueueOfWorker, QUEUE } from './queue.js';
import { findApiKey } from './target.js';
import { OTLP } from './values.js';
import { readVersion } from './version.js';

interface WorkerFlags {
  readonly queue: string | undefined;
  readonly 'api-key': string | undefined;
  readonly otlp: string | undefined;
}

export const worker = defineCommand<WorkerFlags>(
  (parser) =>
    parser.option('queue', QUEUE).option('otlp', OTLP).option('api-key', {
      type: 'string',
      requiresArg: true,
      describe: 'API key of the cloud that the runs use, the same key as in these runs; also GHOSTFLEET_API_KEY',
    }),
  execute,
);

async function execute(flags: WorkerFlags, host: Host): Promise<ExitCode> {
  const url = findQueueOfWorker(flags.queue, host);
  const apiKey = findApiKey(flags, host, 'a worker');
  const settings = readTelemetrySettings(flags.otlp, host.env);
  // Loaded only when it is used.
  const telemetry = settings && (await import('./worker-telemetry.js'));
  const { startWorker } = await import('../runner/divided/queue/worker.js');
  const counter = telemetry && new telemetry.PartCounter();
  const say = (sentence: string) => host.out.write(`${sentence}\n`);
  const running = await startWorker({
    url,
    apiKey,
    version: readVersion(),
    say,
    ...(counter && { count: counter.count }),
    meter: host.meter,
  });
  say(`worker in process ${pid} on ${hostname()} waits for parts of runs at ${running.queue}`);
  const complain = (sentence: string) => host.err.write(`ghostfleet: ${sentence}\n`);
  const exporting = settings && counter?.begin(settings, complain);
  const stopped = new Promise<void>((resolve, reject) => {
    const forget = host.onInterrupt(
      (signal) => void running.stop(new InterruptedError(signal)).then(resolve, reject).finally(forget),
      () => 'what the worker created may still exist',
    );
  });
  try {
    await Promise.race([stopped, running.over.then(() => stopped)]);
  } finally {
    await exporting?.end();
  }
  return EXIT.fine;
}
