/**
 * Runs the test files that take longest first, because a long file at the end keeps one worker busy while the others are idle.
 * The known time of a file is the longer of two times: that of its last run in this checkout, which vitest keeps in
 * node_modules/.vite, and that in the list below. A file without a known time gets a guess by its kind and size.
 */
import { statSync } from 'node:fs';
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Times of the longest files in seconds, in a full run on two cores. The list need be neither exact nor complete. */
const SECONDS: Readonly<Record<string, number>> = {
  'test/web/console.test.ts': 45,
  'test/scenarios/library.test.ts': 35,
  'test/runner/faults.test.ts': 24,
  'test/cloud/store/postgres.test.ts': 20,
  'test/cloud/store/sqlite.test.ts': 20,
  'test/runner/targets/remote.test.ts': 20,
  'test/runner/setup.test.ts': 18,
  'test/cli/record.test.ts': 14,
  'test/cloud/outage.postgres.test.ts': 12,
  'test/cli/serve.test.ts': 11,
  'test/api/surface.test.ts': 10,
  'test/cli/console.test.ts': 10,
  'test/cli/diverge-shrink.test.ts': 10,
  'test/cloud/nodes.postgres.test.ts': 9,
  'test/runner/run.test.ts': 9,
  'test/report/compare.test.ts': 8,
  'test/cli/cli.test.ts': 6,
  'test/cli/device.test.ts': 5,
  'test/cloud/connectors/sandbox.test.ts': 5,
  'test/explain/proof.test.ts': 5,
  'test/scenarios/applications.test.ts': 8,
  'test/cloud/chaos.test.ts': 6,
  'test/cloud/connectors/deliveries.test.ts': 4,
  'test/docs/commands.test.ts': 4,
  'test/explain/explain.test.ts': 4,
  'test/profile/read.test.ts': 4,
  'test/protocol/flap/pair.test.ts': 4,
  'test/scenarios/demo.test.ts': 4,
  'test/architecture/exports.test.ts': 3,
  'test/cli/compare.test.ts': 3,
  'test/cli/find-scenario.test.ts': 3,
  'test/cloud/api/accounts.test.ts': 3,
  'test/cloud/api/connectors.test.ts': 3,
  'test/cloud/api/device-lists.test.ts': 2,
  'test/docs/api.test.ts': 3,
  'test/profile/schema.test.ts': 3,
  'test/cli/other-settings.test.ts': 2,
  'test/client/errors.test.ts': 2,
  'test/cloud/api/messages.test.ts': 2,
  'test/cloud/api/real-clients.test.ts': 2,
  'test/console/server.test.ts': 2,
  'test/device/shell/shell.test.ts': 2,
  'test/runner/clients.test.ts': 2,
  'test/runner/load/loads.test.ts': 2,
  'test/scenario/shrink/shrink.test.ts': 2,
};

/**
 * Guessed times of files without a known time, in seconds: `outside` for a file that uses something outside of its process,
 * `model` for all others. Most files take less time, so that a new file is not among the last.
 */
const GUESS = { outside: 2, model: 0.5 };

export function longestFirst(isOutside: (path: string) => boolean): typeof BaseSequencer {
  return class LongestFirst extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      const seconds = new Map(files.map((file) => [file, this.#secondsOf(file)]));
      return files.toSorted((a, b) => (seconds.get(b) ?? 0) - (seconds.get(a) ?? 0));
    }

    #secondsOf({ moduleId, project }: TestSpecification): number {
      const path = relative(this.ctx.config.root, moduleId);
      // The last run may have had only some of the tests of the file, so the longer of both times counts.
      const last = (this.ctx.cache.getFileTestResults(`${project.name}:${path}`)?.duration ?? 0) / 1000;
      const known = Math.max(last, SECONDS[path] ?? 0);
      // The size only orders files with the same guess, because no file has a megabyte.
      return known > 0 ? known : (isOutside(path) ? GUESS.outside : GUESS.model) + statSync(moduleId).size / 1e6;
    }
  };
}
