/** The jobs of graphile-worker: one for each part of a run. No other file uses this library. */

import { EventEmitter } from 'node:events';
import { Logger, makeWorkerUtils, runMigrations, run as runWorker, type WorkerEvents } from 'graphile-worker';
import pg from 'pg';
import { KEEP_ALIVE } from '../../../cloud/store/postgres/url.js';
import { asError } from '../../../kernel/errors.js';
import { seconds } from '../../../kernel/time.js';
import type { QueueDatabase } from './database.js';
import { JOBS, TASK } from './schema.js';

/** Content of a job: what a worker needs to find its part and to check that the versions match. */
export interface JobPayload {
  readonly run: string;
  /** Number of the part, from 1. */
  readonly part: number;
  readonly version: string;
  readonly format: number;
}

/** Discards the messages of the library. The run reads the failures of jobs from the database ({@link failedJobs}). */
const QUIET = new Logger(() => () => {});

/**
 * Adds a job for each payload. A job has only one attempt, because a half-done part must not be repeated. If this function
 * retries after a failure, a second job may be added for a part that a worker has already taken; the worker with the second job
 * finds the part taken and does nothing.
 * @throws ChannelLost if the queue does not answer for 15 s
 */
export function addJobs(database: QueueDatabase, payloads: readonly JobPayload[]): Promise<void> {
  return database.insist(() => addAll(database, payloads));
}

async function addAll(database: QueueDatabase, payloads: readonly JobPayload[]): Promise<void> {
  const pool = poolOf(database);
  try {
    await createTables(pool);
    const utils = await makeWorkerUtils({ pgPool: pool, schema: JOBS, logger: QUIET });
    try {
      for (const payload of payloads) await utils.addJob(TASK, payload, { maxAttempts: 1, jobKey: keyOf(payload) });
    } finally {
      await utils.release();
    }
  } finally {
    await pool.end();
  }
}

/** Reasons why jobs of a run have failed, by part number. */
export async function failedJobs(database: QueueDatabase, run: string): Promise<ReadonlyMap<number, string>> {
  const rows = await database.persist<{ readonly key: string; readonly last_error: string }>(
    `SELECT key, last_error FROM ${JOBS}.jobs WHERE key LIKE $1 || '/%' AND last_error IS NOT NULL`,
    [run],
  );
  return new Map(rows.map(({ key, last_error }) => [Number(key.split('/')[1]), last_error]));
}

/** Deletes the jobs of a run, including those that are still locked by lost workers. */
export async function deleteJobs(database: QueueDatabase, run: string): Promise<void> {
  await database.persist(
    `WITH mine AS (SELECT id, locked_by FROM ${JOBS}.jobs WHERE key LIKE $1 || '/%')
     SELECT ${JOBS}.force_unlock_workers(array_agg(DISTINCT locked_by) FILTER (WHERE locked_by IS NOT NULL)) FROM mine`,
    [run],
  );
  await database.persist(
    `SELECT count(*) FROM ${JOBS}.complete_jobs(ARRAY(SELECT id FROM ${JOBS}.jobs WHERE key LIKE $1 || '/%'))`,
    [run],
  );
}

/**
 * Creates the tables of the library under a lock of our own. The library takes none: if several workers started on an empty
 * database at the same time, some of them would fail.
 */
async function createTables(pool: pg.Pool): Promise<void> {
  const client = await pool.connect();
  let failure: Error | undefined;
  try {
    // The server ends the transaction of a worker that hangs.
    await client.query("BEGIN; SET LOCAL idle_in_transaction_session_timeout = '1min'");
    await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [JOBS]);
    await runMigrations({ pgPool: pool, schema: JOBS, logger: QUIET });
    await client.query('COMMIT');
  } catch (error) {
    failure = asError(error);
    throw error;
  } finally {
    // With an error, `release` closes the connection, and PostgreSQL then releases its lock.
    client.release(failure);
  }
}

interface JobWorker {
  /** Rejects if the queue cannot be used. */
  readonly over: Promise<void>;
  /** Takes no further jobs, and waits for the present one. */
  stop(): Promise<void>;
}

/** Takes jobs and carries them out one at a time. @throws ChannelLost if the queue does not answer for 15 s */
export async function takeJobs(database: QueueDatabase, carryOut: CarryOut): Promise<JobWorker> {
  return database.insist(async () => {
    const started = await startRunner(database, carryOut);
    // If its first query for jobs fails, the library never queries again, so it has to be started anew.
    if (await started.looks) return started;
    await started.stop();
    throw new Error('the worker could not look for jobs');
  });
}

type CarryOut = (payload: unknown) => Promise<void>;

/** `looks`: whether the first query for jobs succeeded. */
async function startRunner(
  database: QueueDatabase,
  carryOut: CarryOut,
): Promise<JobWorker & { looks: Promise<boolean> }> {
  const pool = poolOf(database);
  // The cast is needed because the library declares types for its events, and the emitter of Node has none.
  const events = new EventEmitter() as WorkerEvents;
  const looks = new Promise<boolean>((resolve) => {
    events.once('worker:getJob:empty', () => resolve(true));
    events.once('job:start', () => resolve(true));
    events.once('worker:getJob:error', () => resolve(false));
  });
  let stopping = false;
  const failed = new Promise<never>((_, reject) => {
    events.on('worker:fatalError', ({ error }) => stopping || reject(database.unusable(error)));
  });
  const task = async (payload: unknown) => {
    try {
      await carryOut(payload);
    } finally {
      // The library takes no further jobs if it cannot record the end of this one.
      while (!stopping && !(await answers(database))) await database.pause();
    }
  };
  const start = async () => {
    await createTables(pool);
    return runWorker({
      pgPool: pool,
      schema: JOBS,
      logger: QUIET,
      concurrency: 1,
      noHandleSignals: true,
      pollInterval: seconds(1),
      parsedCronItems: [],
      taskList: { [TASK]: task },
      events,
    });
  };
  const runner = await start().catch(async (error: unknown) => {
    await pool.end();
    throw error;
  });
  return {
    looks,
    over: Promise.race([runner.promise, failed]),
    stop: async () => {
      stopping = true;
      await runner.stop();
      await pool.end();
    },
  };
}

async function answers(database: QueueDatabase): Promise<boolean> {
  try {
    await database.query('SELECT 1');
    return true;
  } catch {
    return false;
  }
}

function keyOf({ run, part }: JobPayload): string {
  return `${run}/${part}`;
}

function poolOf({ url }: QueueDatabase): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max: 3, connectionTimeoutMillis: seconds(10), ...KEEP_ALIVE });
  // Errors need no handling here: the pool removes an idle connection that breaks, and on a connection in use the next
  // statement fails. Without listeners, the errors would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => void client.on('error', () => {}));
  return pool;
}
