/**
 * The order of the test files: those that take longest first, because a long file at the end keeps one worker busy while the others
 * have nothing to do. The time of a file is that of its last run here (vitest keeps it in node_modules/.vite); in a new checkout
 * it is that of the list below, and other files follow by size, those with sockets, processes and databases first.
 */
import { statSync } from 'node:fs';
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Seconds of the files that take longest, each on its own on two cores. It need not be exact, nor complete. */
const SECONDS: Readonly<Record<string, number>> = {};

/** Seconds of a file without a known time: more than most take, so that a new one is not among the last. */
const GUESS = { outside: 2, model: 0.5 };

export function longestFirst(isOutside: (path: string) => boolean): typeof BaseSequencer {
  return class LongestFirst extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      const seconds = new Map(files.map((file) => [file, this.#secondsOf(file)]));
      return files.toSorted((a, b) => (seconds.get(b) ?? 0) - (seconds.get(a) ?? 0));
    }

    #secondsOf({ moduleId, project }: TestSpecification): number {
      const path = relative(this.ctx.config.root, moduleId);
      // A last run with a part of the tests took less than the list says.
      const last = (this.ctx.cache.getFileTestResults(`${project.name}:${path}`)?.duration ?? 0) / 1000;
      const known = Math.max(last, SECONDS[path] ?? 0);
      // No file has a megabyte, so the size orders only the files with the same guess.
      return known > 0 ? known : (isOutside(path) ? GUESS.outside : GUESS.model) + statSync(moduleId).size / 1e6;
    }
  };
}
