/**
 * The embedded cloud of a run whose devices are divided among threads in real time. One cloud serves all threads: it runs in
 * the thread of the run and listens on sockets. The cloud writes its own events, so that no part has to observe it.
 */
import { EXIT, GhostfleetError } from '../../kernel/errors.js';
import type { Plan } from '../../scenario/model/plan.js';
import type { Target } from '../targets/target.js';
import { openTarget, type TargetOptions, type TargetParts } from '../world/open-target.js';
import { createTags, setUp } from '../world/provision.js';
import { makeWorld, type RunWorld, type SharedThings } from '../world/run-world.js';
import type { PartCloud } from './messages.js';
import type { SharedCloud } from './shared-cloud.js';

export class OwnCloud implements SharedCloud {
  readonly #target: Target;
  readonly #world: RunWorld;

  private constructor(target: Target, { profiles }: Pick<TargetOptions, 'profiles'>) {
    this.#target = target;
    this.#world = makeWorld(target, profiles);
  }

  /** @throws UsageError if the cloud cannot start */
  static async open({ webConsole: _, ...options }: TargetOptions, parts: TargetParts): Promise<OwnCloud> {
    return new OwnCloud(await openTarget(options, parts), options);
  }

  get apiKey(): string {
    return this.#target.address.apiKey;
  }

  get spaceId(): string {
    return this.#target.api.spaceId;
  }

  readonly since = 0;

  /** Empty, because everything that was created in this cloud ends with the run. */
  readonly made = [];

  reachedBy(): PartCloud {
    const { address, api, ports } = this.#target;
    if (ports === undefined) throw new GhostfleetError('no-ports', 'the embedded cloud has no ports', EXIT.internal);
    return { kind: 'own', api: address.baseUrl, spaceId: api.spaceId, ports };
  }

  async setUp(plan: Plan, signal: AbortSignal): Promise<SharedThings> {
    await setUp(plan, this.#world, { signal });
    await createTags(plan, this.#world, signal);
    return this.#world.shared();
  }

  begin(): void {
    this.#target.begin();
  }

  end(): void {
    this.#target.end();
  }

  async tidy(): Promise<readonly []> {
    return [];
  }

  close(): Promise<void> {
    return this.#target.close();
  }
}
