/** Further tests beside init.test.ts. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { folderOfTest } from '../support/folder-of-test.js';
import { ghostfleet } from '../support/host.js';

const before = process.cwd();
beforeEach(() => process.chdir(folderOfTest()));
afterEach(() => process.chdir(before));

it.each([
  [['scenario'], 'fleet.yaml'],
  [['device'], 'my-device-fleet.yaml'],
])('init %j writes a scenario that passes', async (words, file) => {
  const { exit, out } = await ghostfleet(['init', ...words]);
  expect([exit, out]).toEqual([0, expect.stringContaining(`${file} written\n`)]);
  expect(out).toContain(`next: npx ghostfleet run ${file}\n`);
  expect(await ghostfleet(['validate', file])).toMatchObject({ exit: 0, err: '' });
  expect(await ghostfleet(['run', file])).toMatchObject({ exit: 0 });
});
