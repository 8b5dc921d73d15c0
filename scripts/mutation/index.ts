/**
 * `npm run mutation -- protocol`: changes a part of the source in one place after the other and runs only the unit tests of
 * that part. A change that no test notices is a survivor. The run is incremental: it tests again only what has changed since
 * the last run, whose results are in `.mutation/<part>.json`.
 */
import { Stryker } from '@stryker-mutator/core';

interface Part {
  readonly source: string;
  /** Folder of its unit tests. */
  readonly tests: string;
}

const PARTS: Readonly<Record<string, Part>> = {
  protocol: { source: 'src/protocol', tests: 'test/protocol' },
  delivery: { source: 'src/cloud/delivery', tests: 'test/cloud/delivery' },
  metrics: { source: 'src/trace/metrics', tests: 'test/trace' },
};

/** Lowest accepted score, in percent. */
const LEAST_SCORE = 80;

const [name = '', ...files] = process.argv.slice(2);
const part = PARTS[name];
if (!part) {
  console.error(
    `unknown part "${name}"; expected one of ${Object.keys(PARTS).join(', ')}, optionally with files of this part after it`,
  );
  process.exit(2);
}

// A run of single files is separate: it neither reads nor replaces the results of the whole part.
const onlyFiles = files.length > 0;
await new Stryker({
  mutate: onlyFiles ? [...files] : [`${part.source}/**/*.ts`],
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'scripts/mutation/vitest.config.ts', dir: part.tests, related: false },
  coverageAnalysis: 'perTest',
  // Code that runs while a module loads belongs to no single test, so a mutant in it would run all tests of the part. These 20%
  // of the mutants would take 80% of the time. Most of this code is tables, which the tests compare with the documents.
  ignoreStatic: true,
  incremental: !onlyFiles,
  incrementalFile: `.mutation/${name}.json`,
  tempDirName: '.mutation/sandbox',
  reporters: ['progress-append-only', 'clear-text', 'html'],
  htmlReporter: { fileName: `.mutation/${name}.html` },
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  ignorePatterns: ['dist', 'runs', '.bench', '.mutation', 'coverage', 'biome.json'],
  concurrency: 2,
  timeoutMS: 10_000,
  thresholds: { high: 90, low: LEAST_SCORE, break: onlyFiles ? null : LEAST_SCORE },
}).runMutationTest();
