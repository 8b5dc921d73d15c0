/**
 * Carries out the runs of a search against another cloud: one at a time, in real time. After each run the target has time to
 * recover. A target that does not is left alone.
 */
import { DeviceCloudClient } from '../../client/client.js';
import type { Clock } from '../../kernel/clock.js';
import { GhostfleetError, messageOf, UsageError } from '../../kernel/errors.js';
import { type Millis, minutes, seconds } from '../../kernel/time.js';
import { shownAddress } from '../../kernel/web-address.js';
import type { Plan } from '../../scenario/model/plan.js';
import type { Crew } from '../divided/crew.js';
import { endBySignal } from '../end-by-signal.js';
import { type RunOptions, run } from '../run.js';
import type { RemoteCloud } from '../targets/remote-api.js';
import { type LevelRecord, recordOf, unmade } from './judge-level.js';
import type { Levels, Measurement } from './levels.js';

interface TargetLevelsOptions {
  readonly cloud: RemoteCloud;
  /** Options of every run. */
  readonly base: Omit<RunOptions, 'plan' | 'cloud' | 'started' | 'clock' | 'speed'>;
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

export class TargetLevels implements Levels {
  readonly atOnce = 1;
  readonly #options: TargetLevelsOptions;
  readonly #client: DeviceCloudClient;
  /** Usual time to an answer. */
  readonly #usual: Millis;
  #hasMeasured = false;

  private constructor(options: TargetLevelsOptions, client: DeviceCloudClient, usual: Millis) {
    this.#options = options;
    this.#client = client;
    this.#usual = usual;
  }

  /** Measures how fast the target answers without load. @throws UsageError if it cannot be used */
  static async open(options: TargetLevelsOptions): Promise<TargetLevels> {
    const { cloud, clock } = options;
    let client: DeviceCloudClient | undefined;
    try {
      client = await clientOf(cloud);
      const times: Millis[] = [];
      for (let i = 0; i < USUAL; i++) times.push(await timeOf(client, clock));
      return new TargetLevels(options, client, times.sort((a, b) => a - b)[USUAL >> 1] ?? 0);
    } catch (error) {
      await client?.close();
      throw new UsageError('bad-target', `${shownAddress(cloud.api)} is not usable: ${messageOf(error)}`);
    }
  }

  async measure(plan: Plan, signal: AbortSignal): Promise<Measurement | undefined> {
    const record = await this.#recordOf(plan, signal);
    if (record === undefined) return undefined;
    this.#hasMeasured = true;
    return { record, recovery: await this.#recovery(signal) };
  }

  async #recordOf(plan: Plan, signal: AbortSignal): Promise<LevelRecord | undefined> {
    const { base, cloud, crewOf } = this.#options;
    try {
      const crew = await crewOf?.(plan);
      const options = { ...base, plan, cloud, clock: 'real', speed: 1, crew } as const;
      const result = await endBySignal(signal, 'capacity', (started) => run({ ...options, started }));
      return signal.aborted ? undefined : recordOf(result, plan);
    } catch (error) {
      if (signal.aborted) return undefined;
      // At the first level, nothing works yet: the user has to correct something.
      if (!this.#hasMeasured || !(error instanceof GhostfleetError)) throw error;
      return unmade(plan, error);
    }
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  /** Waits until the target answers as before. Returns null if it does not in time. */
  async #recovery(signal: AbortSignal): Promise<Millis | null> {
    const { clock, patience } = this.#options;
    const began = clock.now;
    const enough = Math.max(QUICK, SLOWER * this.#usual);
    for (let calm = 0; ; ) {
      const time = await timeOf(this.#client, clock).catch(() => Number.POSITIVE_INFINITY);
      calm = time <= enough ? calm + 1 : 0;
      if (calm === CALM) return clock.now - began;
      // Nothing is known about a target whose recovery was not awaited.
      if (signal.aborted) return clock.now - began;
      if (clock.now - began > patience) return null;
      if (calm === 0) await new Promise<void>((resolve) => void clock.after(PAUSE, 'the next probe', resolve));
    }
  }
}

function clientOf({ api, apiKey, spaceId }: RemoteCloud): Promise<DeviceCloudClient> | DeviceCloudClient {
  const options = { baseUrl: api, apiKey };
  return spaceId === null ? DeviceCloudClient.connect(options) : new DeviceCloudClient({ ...options, spaceId });
}

/** Time to the answer of a small request. */
async function timeOf(client: DeviceCloudClient, clock: Clock): Promise<Millis> {
  const began = clock.now;
  await client.devices({ limit: 1 });
  return clock.now - began;
}
