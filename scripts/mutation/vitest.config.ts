import { defineConfig } from 'vitest/config';
import { KEPT_WORKERS } from './kept-worker.js';

/** The configuration of vitest for mutation runs, which choose the folder of the tests. */
export default defineConfig({
  plugins: [
    {
      name: 'kept-workers',
      // The pool is set here, because Stryker replaces the pool that a configuration names.
      configureVitest({ project }) {
        project.config.pool = KEPT_WORKERS.name;
        project.config.poolRunner = KEPT_WORKERS;
      },
    },
  ],
  test: {
    include: ['**/*.test.ts'],
    // Too slow to repeat for every mutant: one searches thousands of orders of events, the other one starts processes of
    // OpenSSL. A mutant that they find should also fail in a unit test.
    exclude: ['**/flap/pair.test.ts', '**/dtls/openssl.test.ts'],
    setupFiles: ['scripts/mutation/setup.ts'],
    testTimeout: 30_000,
    isolate: false,
    restoreMocks: true,
  },
});
