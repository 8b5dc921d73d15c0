/**
 * Runs around each test file. Files that run one after another share their modules and globals: a simulated timer that one of
 * them leaves behind never fires, so that tests of later files hang, in whichever order the files run.
 */
import { afterAll, expect } from 'vitest';

const KEY = Symbol.for('ghostfleet: timers of Node');
// A setup file runs again for each file, and only the first run is sure to see the real timer: it stays in globalThis.
const kept = globalThis as { [KEY]?: typeof setTimeout };
kept[KEY] ??= globalThis.setTimeout;

afterAll(() => {
  expect(globalThis.setTimeout, 'this file leaves a simulated setTimeout behind').toBe(kept[KEY]);
});
