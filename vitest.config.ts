import { defineConfig } from 'vitest/config';

/** Tests that need a PostgreSQL server share one, which is started only when one of them is to run. */
const POSTGRES = ['test/**/*postgres*.test.ts'];
/** Tests with sockets, processes and files. */
const OUTSIDE = ['cli', 'client', 'cloud', 'runner', 'scenarios', 'transport'].map((part) => `test/${part}/**`);

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Vitest leaves a core free, which of two is half of all.
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        // Loading all modules anew takes longer than most of these files: those that run one after another share them.
        test: { name: 'model', include: ['test/**/*.test.ts'], exclude: [...POSTGRES, ...OUTSIDE], isolate: false },
      },
      {
        extends: true,
        test: { name: 'outside', include: OUTSIDE.map((part) => `${part}/*.test.ts`), exclude: POSTGRES },
      },
      {
        extends: true,
        test: { name: 'postgres', include: POSTGRES, globalSetup: 'test/support/postgres/setup.ts' },
      },
    ],
  },
});
