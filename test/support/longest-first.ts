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
  'test/web/console.test.ts': 60,
  'test/runner/divided/queue.postgres.test.ts': 31,
  'test/runner/faults.test.ts': 28,
  'test/cli/diverge-shrink.test.ts': 25,
  'test/runner/targets/remote.test.ts': 23,
  'test/docs/commands.test.ts': 19,
  'test/cloud/store/postgres.test.ts': 18,
  'test/scenarios/library.test.ts': 18,
  'test/cli/record.test.ts': 17,
  'test/cli/compare.test.ts': 16,
  'test/explain/explain.test.ts': 16,
  'test/cli/capacity.test.ts': 13,
  'test/deploy/ci.test.ts': 13,
  'test/runner/divided/virtual-time.test.ts': 13,
  'test/runner/run.test.ts': 13,
  'test/runner/setup.test.ts': 13,
  'test/cli/console.test.ts': 12,
  'test/cli/serve.test.ts': 12,
  'test/cloud/nodes.postgres.test.ts': 12,
  'test/cli/clean.test.ts': 11,
  'test/cli/seeds.test.ts': 11,
  'test/cli/what-if.test.ts': 11,
  'test/cli/ab.test.ts': 10,
  'test/cli/explain.test.ts': 9,
  'test/cli/foreign-files.test.ts': 9,
  'test/cloud/store/sqlite.test.ts': 9,
  'test/docs/api.test.ts': 9,
  'test/report/compare.test.ts': 9,
  'test/wire/capture.test.ts': 9,
  'test/cli/cli.test.ts': 8,
  'test/cli/init.test.ts': 8,
  'test/cli/linked-database.test.ts': 8,
  'test/cloud/connectors/deliveries.test.ts': 8,
  'test/scenarios/applications.test.ts': 8,
  'test/cloud/outage.postgres.test.ts': 7,
  'test/explain/agreement.test.ts': 7,
  'test/profile/schema.test.ts': 7,
  'test/runner/what-if.test.ts': 7,
  'test/cli/find-scenario.test.ts': 6,
  'test/cloud/store/secrets.test.ts': 6,
  'test/contracts/faults.test.ts': 6,
  'test/explain/proof.test.ts': 6,
  'test/report/repeated.test.ts': 6,
  'test/runner/divided/queue-channel.postgres.test.ts': 6,
  'test/cli/device.test.ts': 5,
  'test/cloud/api/accounts.test.ts': 5,
  'test/cloud/api/devices.test.ts': 5,
  'test/cloud/border.test.ts': 5,
  'test/cloud/operator/limits.test.ts': 5,
  'test/cloud/store/postgres-schema.test.ts': 5,
  'test/runner/capacity/slow-target.test.ts': 5,
  'test/runner/divided/own-cloud.test.ts': 5,
  'test/runner/world/early-end.test.ts': 5,
  'test/scenario/plan/plan-scenario.test.ts': 5,
  'test/cli/completion.test.ts': 4,
  'test/client/errors.test.ts': 4,
  'test/cloud/api/authorization.test.ts': 4,
  'test/cloud/api/events.test.ts': 4,
  'test/cloud/chaos.test.ts': 4,
  'test/cloud/connectors/sandbox.test.ts': 4,
  'test/cloud/store/backup.test.ts': 4,
  'test/cloud/store/denied.test.ts': 4,
  'test/cloud/store/pooler.postgres.test.ts': 4,
  'test/cloud/store/soundness.test.ts': 4,
  'test/control/run-server.test.ts': 4,
  'test/device/timing/stuck-modem.test.ts': 4,
  'test/profile/read.test.ts': 4,
  'test/protocol/flap/pair.test.ts': 4,
  'test/runner/failed-device.test.ts': 4,
  'test/runner/stall.test.ts': 4,
  'test/scenario/shrink/shrink.test.ts': 4,
  'test/cli/attempt-thread.test.ts': 3,
  'test/cli/run-secrets.test.ts': 3,
  'test/cli/run-store.postgres.test.ts': 3,
  'test/cloud/api/connectors.test.ts': 3,
  'test/cloud/api/rules.test.ts': 3,
  'test/cloud/connectors/request.test.ts': 3,
  'test/cloud/http/valid-requests.test.ts': 3,
  'test/device/hostile-clouds.test.ts': 3,
  'test/device/life-cycle.test.ts': 3,
  'test/device/timing/radio-release.test.ts': 3,
  'test/explain/blame.test.ts': 3,
  'test/golden/dialogues.test.ts': 3,
  'test/library/service.test.ts': 3,
  'test/runner/claim-tokens.test.ts': 3,
  'test/runner/clients.test.ts': 3,
  'test/runner/load/loads.test.ts': 3,
  'test/scenario/expect/decidable.test.ts': 3,
  'test/scenario/source/bombs.test.ts': 3,
  'test/wire/tshark.test.ts': 3,
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
