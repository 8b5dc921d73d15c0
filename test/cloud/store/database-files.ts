/** SQLite files for the tests of one test file, in a folder that is deleted after these tests. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { openStore } from '../../../src/cloud/open-store.js';
import type { Store } from '../../../src/cloud/store/store.js';
import { furnish, insert, message } from './rows.js';

interface DatabaseFiles {
  /** The folder. It exists only while tests run, so call this function only in tests. */
  directory(): string;
  /** A path in the folder that was not used before. */
  newPath(): string;
  /** An open store with messages 1 to `count`, each in a commit of its own, and its file. */
  furnished(count: number): Promise<{ readonly path: string; readonly store: Store }>;
}

/** Creates the folder before the tests of the file and deletes it after them. Call this once, outside of tests. */
export function databaseFiles(): DatabaseFiles {
  let directory = '';
  let files = 0;
  const newPath = () => join(directory, `${files++}.db`);
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'ghostfleet-databases-'));
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  return {
    directory: () => directory,
    newPath,
    furnished: async (count) => {
      const path = newPath();
      const store = await openStore(path);
      await furnish(store);
      for (let n = 1; n <= count; n++) await store.commit([insert.message(message(n))]);
      return { path, store };
    },
  };
}
