import { defineConfig } from 'vitest/config';

/** Tests that need a PostgreSQL server share one, which is started only when one of them is to run. */
const POSTGRES = ['test/**/*postgres*.test.ts'];
/** Tests with sockets, processes and databases. `npm run test:quick` leaves them out. */
const OUTSIDE = [
  ...['api', 'cli', 'client', 'cloud', 'library', 'runner', 'scenarios', 'transport'].map(
    (part) => `test/${part}/**/*.test.ts`,
  ),
  'test/docs/api.test.ts',
  'test/docs/testing.test.ts',
];

export default defineConfig({
  test: {
    // Ends a test that hangs. A machine with other work may need ten times as long as a quiet one.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // The runner lists what takes longer than this.
    slowTestThreshold: 1_000,
    // Vitest leaves a core free, which of two is half of all.
    maxWorkers: 2,
    // Loading all modules anew takes longer than most files: those that run one after another share them. A test that changes
    // what they share changes it back; a spy that is left behind is removed.
    isolate: false,
    restoreMocks: true,
    setupFiles: 'test/support/real-timers.ts',
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      reporter: ['text-summary', 'html', 'json-summary'],
      reportOnFailure: true,
    },
    projects: [
      {
        extends: true,
        test: { name: 'model', include: ['test/**/*.test.ts'], exclude: [...POSTGRES, ...OUTSIDE] },
      },
      {
        extends: true,
        test: { name: 'outside', include: OUTSIDE, exclude: POSTGRES },
      },
      {
        extends: true,
        test: { name: 'postgres', include: POSTGRES, globalSetup: 'test/support/postgres/setup.ts' },
      },
    ],
  },
});
