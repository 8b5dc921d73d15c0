import { defineConfig } from 'vitest/config';

/** Tests that need a PostgreSQL server share one, which is started only when one of them is to run. */
const POSTGRES = ['test/**/*postgres*.test.ts'];

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Vitest leaves a core free, which of two is half of all.
    maxWorkers: 2,
    projects: [
      { extends: true, test: { name: 'plain', include: ['test/**/*.test.ts'], exclude: POSTGRES } },
      {
        extends: true,
        test: { name: 'postgres', include: POSTGRES, globalSetup: 'test/support/postgres/setup.ts' },
      },
    ],
  },
});
