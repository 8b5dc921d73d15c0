/** The world as scenario steps see it: the public API, and devices within reach (scenario/world.ts). */
import type { DeviceCloudClient } from '../client/client.js';
import type { Device } from '../device/device.js';
import type { PlannedDevice } from '../scenario/plan.js';
import type { DeviceHandle, ShellOutcome, World } from '../scenario/world.js';

type Known = Pick<PlannedDevice, 'name' | 'serial' | 'claimToken'>;

/** A device with its page in the cloud. */
export function deviceHandle(planned: Known, tags: readonly string[], device: Device): DeviceHandle {
  return {
    name: planned.name,
    serial: planned.serial,
    claimToken: planned.claimToken,
    tags,
    cloudId: undefined,
    shell: (line): ShellOutcome => {
      const { code, lines } = device.shell(line);
      return { result: code, lines };
    },
    powerCycle: () => device.reboot('power'),
    get bench() {
      return device.bench;
    },
  };
}

export interface RunWorld extends World {
  readonly api: DeviceCloudClient;
  /** Ids of the tags that were created. */
  readonly madeTags: readonly string[];
}

/** The API of the run's space. Tags are created when a step or a group names one that does not exist. */
export function worldOf(api: DeviceCloudClient): RunWorld {
  const known = new Map<string, Promise<string>>();
  const madeTags: string[] = [];
  return {
    api,
    madeTags,
    tagId(name) {
      const id = known.get(name) ?? findOrCreateTag(api, name, (made) => madeTags.push(made));
      known.set(name, id);
      return id;
    },
  };
}

/** Tags of a run have colours that differ as long as there are few of them. */
const COLOURS = ['#3b82f6', '#10b981', '#f59e0b', '#ef4444', '#8b5cf6', '#14b8a6'];

async function findOrCreateTag(api: DeviceCloudClient, name: string, created: (id: string) => void): Promise<string> {
  let count = 0;
  for await (const tag of api.allTags()) {
    if (tag.name === name) return tag.id;
    count++;
  }
  const { id } = await api.createTag({ name, color: COLOURS[count % COLOURS.length] ?? '#3b82f6' });
  created(id);
  return id;
}
