/** Folders for files of tests. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Creates a folder that is removed when the test that calls this function has ended. */
export function folderOfTest(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gf-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
