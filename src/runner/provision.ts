/** What a run needs in the cloud before it begins, made through the public API. */
import PQueue from 'p-queue';
import type { Plan } from '../scenario/plan.js';
import { runStep } from '../scenario/steps/index.js';
import type { DeviceHandle, World } from '../scenario/world.js';

/**
 * Creates the devices of the fleet, with their tags.
 * @param concurrency requests at once: one in virtual time, where their order is part of the run
 */
export async function provision(
  plan: Plan,
  world: World,
  handles: readonly DeviceHandle[],
  concurrency: number,
): Promise<void> {
  const queue = new PQueue({ concurrency });
  const create = { step: 'create-device', options: null } as const;
  const work = handles.map((handle, index) => {
    const group = plan.groups[plan.devices[index]?.group ?? -1];
    return group?.register ? queue.add(() => runStep(world, handle, create)) : undefined;
  });
  await Promise.all(work);
}
