/** A worker at a queue: waits for parts of runs, and carries them out one at a time. */
import { randomInt } from 'node:crypto';
import { hostname } from 'node:os';
import { pid } from 'node:process';
import { type GhostfleetError, UsageError } from '../../../kernel/errors.js';
import { minutes } from '../../../kernel/time.js';
import type { WorldOptions } from '../../world/options.js';
import { ChannelLost } from '../channel.js';
import { type FromPart, PART_FORMAT, type PartTask, type ToPart } from '../messages.js';
import { beginPart, type RunningPart } from '../part.js';
import { QueueDatabase } from './database.js';
import { type JobPayload, takeJobs } from './jobs.js';
import { QueueChannel, sharedNow } from './queue-channel.js';
import { QUEUE } from './schema.js';
import { type SealedTask, taskPlace, unseal } from './sealed.js';

/** Limit of the random number at which the heartbeat of a worker begins. */
const MOST_BEATS = 1_000_000_000_000;

/** A task that is older than this is a copy of an earlier one: a run waits for workers for a minute. */
const LONGEST_WAIT = minutes(5);

interface WorkerOptions extends Pick<WorldOptions, 'meter'> {
  /** `postgres://user:password@host:5432/database` */
  readonly url: string;
  /** API key of the target, the same as that of the runs. Secret. */
  readonly apiKey: string;
  readonly version: string;
  /** Receives a sentence about each part that begins or ends. */
  readonly say: (sentence: string) => void;
  /** Called when a part begins, and when it has ended or failed. Default: not called. */
  readonly count?: (what: 'begun' | 'ended' | 'failed') => void;
}

export interface QueueWorker {
  /** Address of the queue, without password. */
  readonly queue: string;
  /** Rejects if the queue cannot be used. */
  readonly over: Promise<void>;
  /** Takes no further parts and ends the present one, which deletes what it created and counts as lost. */
  stop(reason: GhostfleetError): Promise<void>;
}

/** @throws UsageError if the queue cannot be used */
export async function startWorker(options: WorkerOptions): Promise<QueueWorker> {
  const database = await QueueDatabase.open(options.url);
  const done = new Set<string>();
  let present: RunningPart | undefined;
  const jobs = await takeJobs(database, async (payload) => {
    // The cast is safe because only runs of ghostfleet add jobs for this task.
    const job = payload as JobPayload;
    checkVersion(job, options.version);
    const task = await taskOf(job, database, options.apiKey, done).catch((error: unknown) => {
      if (!(error instanceof ChannelLost)) throw error;
      throw new UsageError(
        'part-not-taken',
        `the worker in process ${pid} on ${hostname()} could not take its part: ${error.message}`,
      );
    });
    if (task === undefined) return;
    const { run, part } = job;
    const channel = new QueueChannel<FromPart, ToPart>({ database, run, part, side: 'part', apiKey: options.apiKey });
    options.say(`part ${part} of ${task.parts} of "${task.plan.scenario}" begins`);
    options.count?.('begun');
    present = beginPart(task, { apiKey: options.apiKey, channel, meter: options.meter });
    const failure = await present.over;
    present = undefined;
    options.count?.(failure ? 'failed' : 'ended');
    options.say(
      `part ${part} of ${task.parts} of "${task.plan.scenario}" has ended${failure ? `: ${failure.message}` : ''}`,
    );
  });
  const stop = async (reason: GhostfleetError) => {
    present?.leave(reason);
    await jobs.stop();
    await database.close();
  };
  let stopping: Promise<void> | undefined;
  return {
    queue: database.name,
    over: jobs.over,
    stop: (reason) => {
      stopping ??= stop(reason);
      return stopping;
    },
  };
}

/** @throws UsageError if the run has another version than this worker; the job and the run then fail */
function checkVersion({ version, format }: JobPayload, own: string): void {
  if (version === own && format === PART_FORMAT) return;
  const nameOf = (release: string, of: number) => `ghostfleet ${release} with part format ${of}`;
  throw new UsageError(
    'other-version',
    `the worker in process ${pid} on ${hostname()} has ${nameOf(own, PART_FORMAT)}, but the run has ${nameOf(version, format)}: use the same version`,
  );
}

/**
 * Takes the task of a job, and deletes it from the queue. Returns undefined if the run has withdrawn the task or another worker
 * has taken it.
 * @param done parts that this worker has taken
 * @throws UsageError if this worker has another API key than the run, and for a copy of an earlier task
 */
export async function taskOf(
  { run, part }: JobPayload,
  database: QueueDatabase,
  apiKey: string,
  done: Set<string>,
): Promise<PartTask | undefined> {
  const key = [run, part] as const;
  const [row] = await database.persist<{ readonly task: Uint8Array }>(
    `SELECT task FROM ${QUEUE}.part WHERE run = $1 AND number = $2 AND task IS NOT NULL`,
    key,
  );
  if (row === undefined) return undefined;
  const place = taskPlace(run, part);
  // The cast is safe because the run has sealed the task.
  const sealed = unseal(row.task, apiKey, place) as SealedTask | undefined;
  if (sealed === undefined) {
    throw new UsageError(
      'other-api-key',
      `the worker in process ${pid} on ${hostname()} has another API key than the run`,
    );
  }
  if (done.has(place) || (await sharedNow(database)) - sealed.at > LONGEST_WAIT) {
    throw new UsageError(
      'old-task',
      `the task of part ${part} is a copy of an earlier one, and is not carried out again`,
    );
  }
  // The heartbeat begins with a random number. If the statement is repeated because its answer was lost, this number shows that
  // the part was taken by this worker and not by another.
  const taken = await database.persist(
    `UPDATE ${QUEUE}.part SET task = NULL, part_beat = $3, part_session = pg_backend_pid()
     WHERE run = $1 AND number = $2 AND (task IS NOT NULL OR part_beat = $3) RETURNING run`,
    [...key, randomInt(1, MOST_BEATS)],
  );
  if (taken.length === 0) return undefined;
  done.add(place);
  return sealed.task;
}
