import { defineConfig } from 'vitest/config';
import { KEPT_WORKERS } from './kept-worker.js';

/** For mutation runs, which choose the folder. */
export default defineConfig({
  plugins: [
    {
      name: 'kept-workers',
      // Here, because Stryker replaces the pool that a configuration names.
      configureVitest({ project }) {
        project.config.pool = KEPT_WORKERS.name;
        project.config.poolRunner = KEPT_WORKERS;
      },
    },
  ],
  test: {
    include: ['**/*.test.ts'],
    // Searches thousands of orders of events: too slow to repeat for every mutant, and unit tests are to find them.
    exclude: ['**/flap/pair.test.ts'],
    setupFiles: ['scripts/mutation/setup.ts'],
    testTimeout: 30_000,
    isolate: false,
    restoreMocks: true,
  },
});
