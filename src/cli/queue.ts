/** The option `--queue` of a run and of a worker: the database through which they find each other. */

import { isPostgresUrl, publicName } from '../cloud/store/postgres/url.js';
import { UsageError } from '../kernel/errors.js';
import type { Crew } from '../runner/divided/crew.js';
import type { Plan } from '../scenario/model/plan.js';
import { needsOneProcess } from '../scenario/plan/divide.js';
import type { Host } from './host.js';
import { readVersion } from './version.js';

/** Environment variable for addresses with a password. */
const VARIABLE = 'GHOSTFLEET_QUEUE';

export const QUEUE = {
  type: 'string',
  requiresArg: true,
  describe: `PostgreSQL database where workers wait for parts of runs, as postgres://…; also ${VARIABLE}`,
} as const;

interface QueueFlags {
  readonly queue: string | undefined;
  readonly workers: number | undefined;
  readonly target: string | undefined;
}

/** The queue of a run; undefined if it has none. @throws UsageError if an option that `--queue` requires is missing */
export function queueIn(flags: QueueFlags, { env }: Host): string | undefined {
  const { workers, target } = flags;
  // The variable may be set for workers on this machine, so runs without --workers and --target ignore it.
  const queue = flags.queue ?? (workers !== undefined && target !== undefined ? env[VARIABLE] : undefined);
  if (queue === undefined) return undefined;
  if (target === undefined) {
    throw new UsageError('bad-flags', '--queue requires --target: workers cannot reach the embedded cloud of a run');
  }
  if (workers === undefined) throw new UsageError('bad-flags', '--queue requires --workers, the number of workers');
  return parseAddress(queue, flags.queue);
}

/** @throws UsageError whose message does not contain `queue`, because `queue` may contain a password */
function parseAddress(queue: string, option: string | undefined): string {
  if (isPostgresUrl(queue)) return queue;
  throw new UsageError(
    'bad-queue',
    `${option === undefined ? VARIABLE : '--queue'} is not the address of a PostgreSQL database`,
    'expected postgres://user:password@host:5432/database',
  );
}

/** The queue of a worker. @throws UsageError if neither the option nor the variable is set */
export function findQueueOfWorker(queue: string | undefined, { env }: Host): string {
  const given = queue ?? env[VARIABLE];
  if (given === undefined) throw new UsageError('bad-flags', 'a worker requires --queue', `or set ${VARIABLE}`);
  return parseAddress(given, queue);
}

/** @throws UsageError if the queue cannot be used, or the plan cannot be divided */
export async function openCrew(url: string, plan: Plan, { err }: Pick<Host, 'err'>): Promise<Crew> {
  const reason = needsOneProcess(plan);
  if (reason !== undefined) {
    throw new UsageError('not-divisible', `the run cannot be divided among workers, because ${reason}`);
  }
  // Loaded here, because other runs do not need the libraries.
  const { QueueCrew } = await import('../runner/divided/queue/queue-crew.js');
  return QueueCrew.open({ url, version: readVersion(), say: (sentence) => err.write(`${sentence}\n`) });
}

/** The words of a command line with these options, without a password. */
export function queueWords({ queue, workers }: QueueFlags, clock: string): readonly string[] {
  // In virtual time, the result does not depend on the number of workers or the queue.
  if (clock === 'virtual' || workers === undefined) return [];
  return ['--workers', String(workers), ...(queue === undefined ? [] : ['--queue', publicName(queue)])];
}
