/** The workers of a run that take their parts from a queue, in other processes or on other machines. */
import { v4 as randomId } from 'uuid';
import { type GhostfleetError, UsageError } from '../../../kernel/errors.js';
import { humanDuration, type Millis, seconds, sinceStart } from '../../../kernel/time.js';
import type { RunChannel } from '../channel.js';
import type { Crew } from '../crew.js';
import { type FromPart, failureOf, PART_FORMAT, type PartTask, type ToPart } from '../messages.js';
import { QueueDatabase } from './database.js';
import { addJobs, deleteJobs, failedJobs } from './jobs.js';
import { QueueChannel, sharedNow } from './queue-channel.js';
import { FORGET_AFTER, QUEUE } from './schema.js';
import { type SealedTask, seal, taskPlace } from './sealed.js';

/** How long a run waits until workers have taken all parts. */
const WAIT_FOR_WORKERS: Millis = seconds(60);
/** After this time, the run reports that it waits for workers. */
const SAY_AFTER: Millis = seconds(3);

interface QueueCrewOptions {
  /** `postgres://user:password@host:5432/database` */
  readonly url: string;
  readonly version: string;
  /** Default: 60 s */
  readonly waitForWorkers?: Millis;
  /** Maximum time without a heartbeat of a worker whose connection with the queue has ended. Default: 5 s */
  readonly silence?: Millis;
  /** Receives a sentence if workers are missing for some time. */
  readonly say?: (sentence: string) => void;
}

export class QueueCrew implements Crew {
  readonly lead = seconds(1.5);
  readonly #database: QueueDatabase;
  readonly #options: QueueCrewOptions;
  readonly #run = randomId();
  #isEngaged = false;
  #isClosed = false;
  #channels: readonly QueueChannel<ToPart, FromPart>[] = [];

  private constructor(database: QueueDatabase, options: QueueCrewOptions) {
    this.#database = database;
    this.#options = options;
  }

  /** @throws UsageError if the queue cannot be used */
  static async open(options: QueueCrewOptions): Promise<QueueCrew> {
    return new QueueCrew(await QueueDatabase.open(options.url), options);
  }

  sharedNow(): Promise<Millis> {
    return sharedNow(this.#database);
  }

  /** @param apiKey seals the tasks and messages */
  async engage(tasks: readonly PartTask[], apiKey: string): Promise<readonly RunChannel[]> {
    const { version, silence } = this.#options;
    this.#isEngaged = true;
    await this.#database.persist(
      `DELETE FROM ${QUEUE}.part WHERE seen < clock_timestamp() - interval '${FORGET_AFTER}'`,
    );
    const at = await this.sharedNow();
    for (const task of tasks) {
      await this.#database.persist(
        `INSERT INTO ${QUEUE}.part (run, number, task) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
        [this.#run, task.number, seal({ task, at } satisfies SealedTask, apiKey, taskPlace(this.#run, task.number))],
      );
    }
    const channels = tasks.map(
      ({ number: part }) =>
        new QueueChannel<ToPart, FromPart>({
          ...{ database: this.#database, run: this.#run, part, side: 'run', apiKey, silence },
        }),
    );
    this.#channels = channels;
    await addJobs(
      this.#database,
      tasks.map(({ number: part }) => ({ run: this.#run, part, version, format: PART_FORMAT })),
    );
    void this.#watch();
    return channels;
  }

  /** Withdraws the parts that no worker has taken. */
  async giveUp(reason: GhostfleetError): Promise<void> {
    try {
      const withdrawn = await this.#database.persist<{ readonly number: number }>(
        `UPDATE ${QUEUE}.part SET task = NULL WHERE run = $1 AND task IS NOT NULL RETURNING number`,
        [this.#run],
      );
      for (const { number } of withdrawn) this.#fail(number, reason);
    } catch {
      // The error is ignored: the channels use the same database, and report its failure.
    }
  }

  async dismiss(number: number): Promise<void> {
    const gone = [this.#run, number] as const;
    await this.#database.query(`DELETE FROM ${QUEUE}.part WHERE run = $1 AND number = $2`, gone).catch(() => {});
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#isEngaged) {
      await this.#database.query(`DELETE FROM ${QUEUE}.part WHERE run = $1`, [this.#run]).catch(() => {});
      await deleteJobs(this.#database, this.#run).catch(() => {});
    }
    await this.#database.close();
  }

  /** Waits until workers have taken all parts. A part that a worker has rejected fails. */
  async #watch(): Promise<void> {
    const { waitForWorkers = WAIT_FOR_WORKERS } = this.#options;
    const { time } = this.#database;
    const began = sinceStart(time.now);
    const deadline = began + waitForWorkers;
    let { say } = this.#options;
    try {
      while (!this.#isClosed) {
        const [waiting] = await this.#database.persist<{ readonly parts: number }>(
          `SELECT count(*)::integer AS parts FROM ${QUEUE}.part WHERE run = $1 AND task IS NOT NULL`,
          [this.#run],
        );
        for (const [part, why] of await failedJobs(this.#database, this.#run)) this.#fail(part, refusal(why));
        if (waiting?.parts === 0) return;
        if (sinceStart(time.now) > deadline)
          return await this.giveUp(this.#notTaken(waiting?.parts ?? 0, waitForWorkers));
        if (sinceStart(time.now) > began + SAY_AFTER) {
          const all = this.#channels.length;
          say?.(`waiting for workers: ${all - (waiting?.parts ?? 0)} of ${all} parts taken`);
          say = undefined;
        }
        await this.#database.pause();
      }
    } catch {
      // The error is ignored: the channels use the same database, and report its failure.
    }
  }

  #fail(part: number, reason: GhostfleetError): void {
    this.#channels[part - 1]?.deliver({ kind: 'failed', error: failureOf(reason) });
  }

  #notTaken(parts: number, waited: Millis): GhostfleetError {
    const all = this.#channels.length;
    return new UsageError(
      'no-workers',
      `${parts} of ${all} parts of the run were not taken by a worker within ${humanDuration(waited)}`,
      `a worker carries out one part at a time; start more with "ghostfleet worker --queue ${this.#database.name}"`,
    );
  }
}

function refusal(why: string): GhostfleetError {
  return new UsageError('worker-refused', why);
}
