/**
 * Carries out the runs of a search against another cloud: one at a time, in real time. After each run the target has time to
 * recover. A target that does not is left alone.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DeviceCloudClient, type Gate } from '../../client/client.js';
import type { Clock } from '../../kernel/clock.js';
import { pause, within } from '../../kernel/deadline.js';
import { GhostfleetError, messageOf, UsageError } from '../../kernel/errors.js';
import { type Millis, minutes, seconds } from '../../kernel/time.js';
import { shownAddress } from '../../kernel/web-address.js';
import type { Plan } from '../../scenario/model/plan.js';
import type { Crew } from '../divided/crew.js';
import { type RunOptions, run } from '../run.js';
import { limitOf } from '../targets/paced.js';
import type { TargetCloud } from '../targets/remote-api.js';
import type { RequestLimit } from '../targets/request-limit.js';
import { type LevelRecord, recordOf, unmade } from './judge-level.js';
import type { Levels, Measurement } from './levels.js';

interface TargetLevelsOptions {
  readonly cloud: TargetCloud;
  /** Options of every run. */
  readonly base: Omit<RunOptions, 'plan' | 'cloud' | 'clock' | 'speed' | 'signal'>;
  /** Workers on other machines for a run; undefined for threads of this process. */
  readonly crewOf?: ((plan: Plan) => Promise<Crew>) | undefined;
  /** Longest time that the target may need to recover from a run. */
  readonly patience: Millis;
  readonly clock: Clock;
}

/** {@link TargetLevelsOptions.patience} if the user does not choose it. */
export const RECOVERY: Millis = minutes(1);
/** Pause between two probes. */
const PAUSE: Millis = seconds(1);
/** Probes whose median is the usual time to an answer, and that must answer in a row. */
const [USUAL, CALM] = [5, 2];
/** A target has recovered if it answers within this multiple of the usual time, or within {@link QUICK}. */
const [SLOWER, QUICK] = [3, 500];

/** This process looks at its own event loop as often as this, if it gets its turn. Timers are up to a quarter later. */
const TURN: Millis = 10;
const LATEST_TURN = 1.25 * TURN;

/** A target without load, and the usual time to its answers. */
interface Calm {
  readonly client: DeviceCloudClient;
  readonly usual: Millis;
}

export class TargetLevels implements Levels {
  readonly atOnce = 1;
  readonly #options: TargetLevelsOptions;
  /** Of the probes; each run has its own. */
  readonly #limit: RequestLimit | undefined;
  /** The target without load; undefined before the first run. */
  #calm: Calm | undefined;
  #hasMeasured = false;

  constructor(options: TargetLevelsOptions) {
    this.#options = options;
    this.#limit = limitOf(options.cloud.pace, options.clock);
  }

  /** @throws UsageError if the target cannot be used */
  async measure(plan: Plan, signal: AbortSignal): Promise<Measurement | undefined> {
    this.#calm ??= await this.#open(signal);
    if (this.#calm === undefined) return undefined;
    const record = await this.#recordOf(plan, signal);
    if (record === undefined) return undefined;
    this.#hasMeasured = true;
    return { record, recovery: await this.#recovery(this.#calm, signal) };
  }

  /** How fast the target answers without load. */
  async #open(signal: AbortSignal): Promise<Calm | undefined> {
    const { cloud } = this.#options;
    let client: DeviceCloudClient | undefined;
    try {
      client = await clientOf(cloud, this.#limit, signal);
      const times: Millis[] = [];
      for (let i = 0; i < USUAL; i++) times.push(await this.#timeOf(client, signal));
      return { client, usual: times.sort((a, b) => a - b)[USUAL >> 1] ?? 0 };
    } catch (error) {
      await client?.close();
      if (signal.aborted) return undefined;
      throw new UsageError('bad-target', `${shownAddress(cloud.api)} is not usable: ${messageOf(error)}`);
    }
  }

  async #recordOf(plan: Plan, signal: AbortSignal): Promise<LevelRecord | undefined> {
    const { base, cloud, crewOf } = this.#options;
    try {
      const crew = await crewOf?.(plan);
      const result = await run({ ...base, plan, cloud, clock: 'real', speed: 1, crew, signal });
      return signal.aborted ? undefined : recordOf(result, plan);
    } catch (error) {
      if (signal.aborted) return undefined;
      // At the first level, nothing works yet: the user has to correct something.
      const record = this.#hasMeasured && error instanceof GhostfleetError ? unmade(plan, error) : undefined;
      if (record === undefined) throw error;
      return record;
    }
  }

  async close(): Promise<void> {
    await this.#calm?.client.close();
  }

  /** Waits until the target answers as before. Returns null if it does not in time. */
  async #recovery({ client, usual }: Calm, signal: AbortSignal): Promise<Millis | null> {
    const { clock, patience } = this.#options;
    const began = clock.now;
    const enough = Math.max(QUICK, SLOWER * usual);
    for (let calm = 0; ; ) {
      // An answer may drip.
      const limit = Math.max(enough, patience - (clock.now - began));
      const time = await within({ clock, limit, what: 'the recovery', signal }, (ended) =>
        this.#timeOf(client, ended),
      ).catch(() => Number.POSITIVE_INFINITY);
      calm = time <= enough ? calm + 1 : 0;
      if (calm === CALM) return clock.now - began;
      // Nothing is known about a target whose recovery was not awaited.
      if (signal.aborted) return clock.now - began;
      if (clock.now - began >= patience) return null;
      if (calm === 0) await pause({ clock, limit: PAUSE, what: 'the next probe', signal });
    }
  }

  /**
   * Time to the answer of a small request, without the time in which this process could not see it: a machine that does not give
   * this process its turns must not make the target look slow.
   */
  async #timeOf(client: DeviceCloudClient, signal: AbortSignal): Promise<Millis> {
    const { clock } = this.#options;
    await this.#limit?.turn(signal);
    const turns = monitorEventLoopDelay({ resolution: TURN });
    turns.enable();
    const began = clock.now;
    try {
      await client.through((request) => request(signal)).devices({ limit: 1 });
    } finally {
      turns.disable();
    }
    return Math.min(clock.now - began, (turns.count + 1) * LATEST_TURN);
  }
}

function clientOf(
  { api, apiKey, spaceId }: TargetCloud,
  limit: RequestLimit | undefined,
  signal: AbortSignal,
): Promise<DeviceCloudClient> | DeviceCloudClient {
  const gate: Gate = async (request) => {
    await limit?.turn(signal);
    return request(signal);
  };
  const options = { baseUrl: api, apiKey, gate };
  return spaceId === null ? DeviceCloudClient.connect(options) : new DeviceCloudClient({ ...options, spaceId });
}
