/**
 * Checks after each test file that the file has restored the real timers. Files that run one after another share their globals.
 * If a file left simulated timers, these would never fire, and tests of later files would hang.
 */
import { afterAll, expect } from 'vitest';

const KEY = Symbol.for('ghostfleet: timers of Node');
// This setup file runs again for each test file. Only its first run certainly sees the real timer, so that run keeps it in
// globalThis.
const kept = globalThis as { [KEY]?: typeof setTimeout };
kept[KEY] ??= globalThis.setTimeout;

afterAll(() => {
  expect(globalThis.setTimeout, 'this file leaves a simulated setTimeout behind').toBe(kept[KEY]);
});
