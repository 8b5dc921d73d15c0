/** What steps and setup entries use in the cloud: tags are found by name or created. */
import { expect, it } from 'vitest';
import { ApiError, type DeviceCloudClient } from '../../../src/client/client.js';
import { makeWorld } from '../../../src/runner/world/run-world.js';

it('a tag that another run creates at the same time is used, and is not removed at the end', async () => {
  const lists = [['old'], ['old', 'cold-store']];
  const api = {
    allTags: async function* () {
      for (const name of lists.shift() ?? []) yield { id: `id of ${name}`, name };
    },
    createTag: async () => {
      throw new ApiError(409, { message: 'a tag "cold-store" already exists' }, 'POST', '/tags');
    },
  };
  // The cast is safe: the world uses only these two methods to find a tag.
  const world = makeWorld({ api: api as unknown as DeviceCloudClient, openSpace: () => expect.fail() }, new Map());
  expect(await world.tagId('cold-store')).toBe('id of cold-store');
  expect(world.things).toEqual([]);
});
