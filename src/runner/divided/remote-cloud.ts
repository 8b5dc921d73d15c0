/**
 * A cloud that the parts of a run share, other than the embedded one. The run creates common resources there before the parts
 * begin, and deletes them after the parts have ended.
 */

import { DeviceCloudClient } from '../../client/client.js';
import { messageOf } from '../../kernel/errors.js';
import { foreignNumber } from '../../kernel/json-text.js';
import { RealClock } from '../../kernel/real-clock.js';
import type { Instant, UnixMillis } from '../../kernel/time.js';
import type { Profile } from '../../profile/profile.js';
import type { LeftThing } from '../../report/result.js';
import type { Plan } from '../../scenario/model/plan.js';
import type { Patience } from '../targets/paced.js';
import { openApi, type RemoteApi, type TargetCloud } from '../targets/remote-api.js';
import { TargetClock } from '../targets/target-clock.js';
import { deleteThing, isOurs, type MadeThing } from '../world/clean-up.js';
import { createTags, deleteThings, setUp } from '../world/provision.js';
import { makeWorld, type RunWorld, type SharedThings } from '../world/run-world.js';
import type { PartCloud } from './messages.js';
import type { SharedCloud } from './shared-cloud.js';

export class SharedRemoteCloud implements SharedCloud {
  readonly #cloud: TargetCloud;
  readonly #remote: RemoteApi;
  readonly #api: DeviceCloudClient;
  readonly #world: RunWorld;
  readonly #times: TargetClock;
  readonly #opened: Instant;

  private constructor(
    cloud: TargetCloud,
    remote: RemoteApi,
    profiles: ReadonlyMap<string, Profile>,
    times: TargetClock,
  ) {
    this.#cloud = cloud;
    this.#remote = remote;
    this.#api = new DeviceCloudClient(remote.options);
    this.#world = makeWorld({ api: this.#api, openSpace: remote.openSpace }, profiles);
    this.#times = times;
    this.#opened = times.now;
  }

  /** @throws UsageError if the API of the target cannot be used */
  static async open(
    cloud: TargetCloud,
    profiles: ReadonlyMap<string, Profile>,
    patience: Patience,
    secrets: readonly string[] | undefined,
  ): Promise<SharedRemoteCloud> {
    const time = new RealClock();
    const times = new TargetClock({ time, run: time, speed: 1 });
    return new SharedRemoteCloud(cloud, await openApi(cloud, times, patience, secrets), profiles, times);
  }

  get apiKey(): string {
    return this.#cloud.apiKey;
  }

  /** Divides the rate limit of the run among the parts, so that their requests together stay within it. */
  reachedBy(workers: number): PartCloud {
    const { apiKey: _, keyOf: __, pace, ...address } = this.#cloud;
    const perSecond = pace.perSecond === null ? null : pace.perSecond / workers;
    return { kind: 'other', ...address, spaceId: this.#api.spaceId, pace: { ...pace, perSecond } };
  }

  async setUp(plan: Plan, signal: AbortSignal): Promise<SharedThings> {
    await setUp(plan, this.#world, { signal });
    await createTags(plan, this.#world, signal);
    return this.#world.shared();
  }

  get made(): readonly MadeThing[] {
    return this.#world.things;
  }

  begin(): void {}

  end(): void {}

  get spaceId(): string {
    return this.#api.spaceId;
  }

  get since(): UnixMillis {
    return this.#times.findStampBefore(this.#opened);
  }

  async tidy(lost: readonly Plan[]): Promise<readonly LeftThing[]> {
    return [...(await this.#deleteDevices(lost)), ...(await deleteThings(this.#world, this.since))];
  }

  /** Deletes the devices that the run created for these parts of its plan. Returns what could not be deleted. */
  async #deleteDevices(parts: readonly Plan[]): Promise<readonly LeftThing[]> {
    const names = new Map(parts.flatMap(({ devices }) => devices.map(({ serial, name }) => [serial, name])));
    if (names.size === 0) return [];
    const { since } = this;
    const found: MadeThing[] = [];
    try {
      for await (const device of this.#api.allDevices()) {
        const name = names.get(foreignNumber(device.serial_number));
        if (name !== undefined && isOurs(device, since)) found.push(deviceOf(name, { path: `/devices/${device.id}` }));
      }
    } catch (error) {
      const why = messageOf(error);
      return [...names].map(([serial, name]) => ({ ...deviceOf(name, { serial }), why }));
    }
    const left: LeftThing[] = [];
    for (const device of found) {
      const still = await deleteThing(device, since, async () => this.#api);
      if (still !== undefined) left.push(still);
    }
    return left;
  }

  async close(): Promise<void> {
    await Promise.all([this.#api.close(), this.#remote.closeSpaces()]);
  }
}

function deviceOf(name: string, where: Pick<MadeThing, 'path' | 'serial'>): MadeThing {
  return { what: `device "${name}"`, space: null, ...where };
}
