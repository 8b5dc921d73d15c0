import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { compiledSources, isCompiled } from './test/support/compiled-sources.js';
import { LongestFirst } from './test/support/longest-first.js';

/**
 * Folders and files whose tests have sockets, processes and databases, and two that run the program or scenarios many times.
 * `npm run test:quick` leaves them out.
 */
const OUTSIDE = [
  ...['cli', 'client', 'cloud', 'library', 'runner', 'scenarios', 'transport', 'web'].map((part) => `test/${part}/`),
  'test/docs/api.test.ts',
  'test/docs/commands.test.ts',
  'test/docs/testing.test.ts',
  'templates/fleet.test.ts',
  'test/protocol/dtls/openssl.test.ts',
];
/** Patterns of the files that do not run. */
function chooseExcluded(mode: string): string[] {
  if (mode === 'long' || mode === 'all') return [];
  return mode === 'quick' ? [LONG, ...OUTSIDE.map((begin) => (begin.endsWith('/') ? `${begin}**` : begin))] : [LONG];
}

/** Tests that take too long for each change; `npm run test:long` runs only them. The mode `all` has both. */
const LONG = 'test/**/*.long.test.ts';

/** Least coverage of each module of src/, in percent: the measured one, rounded down to a multiple of 5. */
const FLOORS = Object.fromEntries(
  Object.entries({
    cli: { statements: 85, branches: 80, functions: 85, lines: 90 },
    client: { statements: 95, branches: 85, functions: 95, lines: 95 },
    cloud: { statements: 95, branches: 90, functions: 95, lines: 95 },
    console: { statements: 90, branches: 85, functions: 90, lines: 90 },
    contract: { statements: 95, branches: 90, functions: 95, lines: 95 },
    control: { statements: 90, branches: 80, functions: 90, lines: 90 },
    device: { statements: 95, branches: 85, functions: 95, lines: 95 },
    explain: { statements: 95, branches: 95, functions: 95, lines: 95 },
    input: { statements: 95, branches: 90, functions: 95, lines: 95 },
    kernel: { statements: 95, branches: 90, functions: 95, lines: 95 },
    library: { statements: 95, branches: 90, functions: 90, lines: 95 },
    profile: { statements: 95, branches: 90, functions: 95, lines: 95 },
    protocol: { statements: 95, branches: 90, functions: 95, lines: 95 },
    record: { statements: 95, branches: 85, functions: 95, lines: 95 },
    report: { statements: 95, branches: 85, functions: 95, lines: 95 },
    runner: { statements: 90, branches: 85, functions: 90, lines: 95 },
    scenario: { statements: 95, branches: 90, functions: 95, lines: 95 },
    trace: { statements: 95, branches: 90, functions: 95, lines: 95 },
    transport: { statements: 95, branches: 80, functions: 95, lines: 95 },
  }).map(([module, floor]) => [`src/${module}/**`, floor]),
);

/** A worker loads all modules and takes 300 MB; the longest file takes longer than the others on so many. */
const MOST_WORKERS = 8;

export default defineConfig(({ mode }) => ({
  plugins: [compiledSources()],
  test: {
    include: mode === 'long' ? [LONG] : ['test/**/*.test.ts', 'templates/*.test.ts'],
    // The templates import the package as its users do.
    alias: { ghostfleet: resolve('src/index.ts') },
    exclude: chooseExcluded(mode),
    globalSetup: 'test/support/postgres/setup.ts',
    // Ends a test that hangs. A machine with other work may need ten times as long as a quiet one.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Polls wait for an event; the default of a second would measure the machine.
    expect: { poll: { timeout: 60_000 } },
    // The runner lists what takes longer than this.
    slowTestThreshold: 1_000,
    // Two more than there are cores: tests with processes, sockets and real time wait for more than half of their time. Quick
    // tests have none of these, and one more is faster: each worker loads all modules.
    maxWorkers: Math.min(availableParallelism() + (mode === 'quick' ? 1 : 2), MOST_WORKERS),
    // Tests make many short-lived objects: with more room for new ones, the garbage collector takes a tenth of the time less.
    execArgv: ['--max-semi-space-size=64'],
    sequence: { sequencer: LongestFirst },
    // Loading all modules anew takes longer than most files: those that run one after another share them. A test that changes
    // what they share changes it back; a spy that is left behind is removed. A long test and the one beside it have a folder in
    // common, which the first of them removes: in the mode that runs both, each file has modules of its own.
    isolate: mode === 'all',
    restoreMocks: true,
    setupFiles: 'test/support/real-timers.ts',
    server: { deps: { external: [isCompiled] } },
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      reporter: ['text-summary', 'html', 'json-summary'],
      reportOnFailure: true,
      thresholds: FLOORS,
    },
  },
}));
