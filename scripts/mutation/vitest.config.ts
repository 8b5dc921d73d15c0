import { defineConfig } from 'vitest/config';

/** For mutation runs, which choose the folder. */
export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    // Searches thousands of orders of events: too slow to repeat for every mutant, and unit tests are to find them.
    exclude: ['**/flap/pair.test.ts'],
    testTimeout: 30_000,
  },
});
