import { formOf, list, optional, record, text } from '../../input/checks.js';
import { cloudIdOf, type StepKind } from './step.js';

type TagOptions = {
  readonly add: readonly string[];
  readonly remove: readonly string[];
};

const names = list(text(), 1);
const shape = record('tag', { add: optional(names, []), remove: optional(names, []) });

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
  run: async (world, device, { add, remove }) => {
    const id = cloudIdOf(device);
    const wanted = new Set((await world.api.device(id)).tags.map((carried) => carried.id));
    for (const name of remove) wanted.delete(await world.tagId(name));
    for (const name of add) wanted.add(await world.tagId(name));
    await world.api.updateDevice(id, { tags: [...wanted].map((tagId) => ({ id: tagId })) });
  },
};
