/**
 * The contract of the store port (src/cloud/store/store.ts), run for every implementation: the same calls must have the same
 * results. There is one file per subject.
 */
import { afterEach, beforeEach, describe } from 'vitest';
import type { Store } from '../../../src/cloud/store/store.js';
import { aboutCommits } from './commits.js';
import { aboutDevices } from './devices.js';
import { aboutDownlinks } from './downlinks.js';
import { aboutEvents } from './events.js';
import { aboutMessages } from './messages.js';
import { aboutPruning } from './pruning.js';
import { aboutRecords } from './records.js';
import { aboutRows } from './rows.js';
import { aboutSpaces } from './spaces.js';
import { aboutTags } from './tags.js';

const SUBJECTS = [
  aboutCommits,
  aboutRows,
  aboutSpaces,
  aboutTags,
  aboutDevices,
  aboutMessages,
  aboutDownlinks,
  aboutPruning,
  aboutRecords,
  aboutEvents,
];

/**
 * @param open returns an empty store
 * @param close ends the use of the store; default: closes the store
 */
export function storeContract(
  name: string,
  open: () => Promise<Store>,
  close = (store: Store): unknown => store.close(),
): void {
  describe(`${name} keeps the contract of the store:`, () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => close(store));
    for (const about of SUBJECTS) about(() => store);
  });
}
