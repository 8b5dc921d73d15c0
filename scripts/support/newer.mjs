/** Whether the output of a build is newer than its sources. Plain JavaScript, because it runs before the first build. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Whether a file exists and is newer than all of these files and folders.
 * @param {string} file its modification time is the beginning of the build
 * @param {readonly string[]} sources
 */
export function isNewerThan(file, sources) {
  if (!existsSync(file)) return false;
  const { mtimeMs } = statSync(file);
  return sources.every((path) => changedAt(path) < mtimeMs);
}

/** Time of the last change of a file, or of anything in a folder; a folder changes when a file in it is deleted. */
function changedAt(/** @type {string} */ path) {
  const { mtimeMs } = statSync(path);
  if (!statSync(path).isDirectory()) return mtimeMs;
  /** @type {number} */
  let latest = mtimeMs;
  for (const name of readdirSync(path)) latest = Math.max(latest, changedAt(join(path, name)));
  return latest;
}
