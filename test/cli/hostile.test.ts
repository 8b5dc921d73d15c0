/** The short form of the hostile targets and folders of `npm run security -- fuzz`. */
import { expect, it } from 'vitest';
import { fuzzRunFolders, fuzzTargets } from '../../scripts/fuzz/hostile.js';

it('no answer of a target makes a command end with an internal error or print control characters', async () => {
  expect(await fuzzTargets('short', 12)).toEqual({ checked: 12, faults: [] });
});

it('no change in the folder of a run makes a command end with an internal error or print control characters', async () => {
  expect(await fuzzRunFolders('short', 12)).toEqual({ checked: 12, faults: [] });
});
