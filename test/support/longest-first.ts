/**
 * Runs some files that take long first, because a long file at the end keeps one worker busy while the others are idle. All
 * others are in the order of vitest: by their time in the last run of this checkout, and by size in a new checkout.
 */
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take much longer than others of their size. */
const LONGEST: readonly string[] = [
  'test/web/console.test.ts',
  'test/cli/diverge-shrink.test.ts',
  'test/cli/mcp.test.ts',
  'test/cli/record.test.ts',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => LONGEST.includes(relative(this.ctx.config.root, moduleId));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
