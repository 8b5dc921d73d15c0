import { describeKey, formOf, list, optional, record } from '../../input/checks.js';
import { cloudName } from '../values/cloud-name.js';
import type { DeviceHandle } from '../world.js';
import { cloudIdOf, noEffect, type StepKind, stays } from './step.js';

type TagOptions = {
  readonly add: readonly string[];
  readonly remove: readonly string[];
};

const names = list(cloudName, 1);
const shape = record('tag', {
  add: optional(describeKey('Tags to add.', ['cold-store'], names), []),
  remove: optional(describeKey('Tags to remove.', ['new'], names), []),
});

/** Adds or removes tags of the device in the cloud; missing tags are created. */
export const tag: StepKind<TagOptions> = {
  about: 'adds tags to the device in the cloud, or removes them; a missing tag is created',
  example: 'tag: { add: [cold-store], remove: [new] }',
  form: () => formOf(shape),
  check: (node, problems) => {
    const options = shape(node, problems);
    if (options?.add.length === 0 && options.remove.length === 0) {
      problems.add(node, 'tag needs "add" or "remove"');
      return undefined;
    }
    return options;
  },
  describe: ({ add, remove }) => [...add.map((name) => `+${name}`), ...remove.map((name) => `-${name}`)].join(' '),
  actsOn: 'cloud',
  effect: noEffect,
  beforeStart: stays,
  run: async (world, device, { add, remove }) => {
    const before = edits.get(device);
    const edit = (async () => {
      await before?.catch(() => {});
      const ids = async (names: readonly string[]) => {
        const found: string[] = [];
        for (const name of names) found.push(await world.tagId(name));
        return found;
      };
      const change = { remove: await ids(remove), add: await ids(add) };
      await world.api.changeTags(cloudIdOf(device), change);
    })();
    edits.set(device, edit);
    await edit;
  },
};

/**
 * The last edit of each device. Edits of a run follow one another, because a cloud may replace the tags of a device only as a
 * whole and without a condition (cloud C-22).
 */
const edits = new WeakMap<DeviceHandle, Promise<void>>();
