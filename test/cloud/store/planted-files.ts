/** SQLite files with secrets, for the tests of one test file. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { beforeAll, expect } from 'vitest';
import { openStore } from '../../../src/cloud/open-store.js';
import { MemoryStore } from '../../../src/cloud/store/memory/memory-store.js';
import { keyFrom } from '../../../src/cloud/store/secrets/key.js';
import { rotateDatabase } from '../../../src/cloud/store/sqlite/rotate.js';
import { bundled } from '../../support/bundled.js';
import { databaseFiles } from './database-files.js';
import { harvest, plant } from './planted.js';

export const KEY = keyFrom('a1'.repeat(32), 'the key of the test');

/** Like `databaseFiles`, whose call this contains. */
export function plantedFiles() {
  const { directory, newPath } = databaseFiles();
  const planted = async (options?: Parameters<typeof openStore>[1]): Promise<string> => {
    const path = newPath();
    const store = await openStore(path, options);
    await plant(store);
    await store.close();
    return path;
  };
  return { directory, newPath, planted };
}

export async function harvestOf(path: string, options?: Parameters<typeof openStore>[1]): Promise<unknown> {
  const store = await openStore(path, options);
  const found = await harvest(store);
  await store.close();
  return found;
}

/** What a store without encryption returns. */
export async function expected(): Promise<unknown> {
  const store = new MemoryStore();
  await plant(store);
  return harvest(store);
}

/** A function that kills a rotation at a moment of `rotate-until.ts`, and expects that it lost nothing and can be repeated. */
export function useKilledRotation(planted: () => Promise<string>): (moment: string) => Promise<void> {
  let rotateUntil: string;
  beforeAll(() => {
    rotateUntil = bundled(new URL('./rotate-until.ts', import.meta.url));
  });

  return async (moment) => {
    const path = await planted();
    const [, signal] = await once(fork(rotateUntil, [path, moment], { execArgv: [] }), 'close');
    expect(signal).toBe('SIGKILL');
    expect(existsSync(`${path}-key-next`)).toBe(true);
    expect(await harvestOf(path)).toEqual(await expected());
    rotateDatabase(path, { key: undefined, next: undefined });
    expect(await harvestOf(path)).toEqual(await expected());
  };
}
