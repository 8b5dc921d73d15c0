/** The limit of open files of this process (`ulimit -n`), which also counts sockets. */
import { readFileSync } from 'node:fs';

/** The limits of this process. Only Linux has this file. */
const LIMITS = '/proc/self/limits';

/**
 * Most files that this process may open; undefined without a limit, and on systems other than Linux.
 * @param limits the text of {@link LIMITS}. Default: that of this process
 */
export function openFileLimit(limits: string = readLimits()): number | undefined {
  const found = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
  return found === undefined ? undefined : Number(found);
}

function readLimits(): string {
  try {
    return readFileSync(LIMITS, 'utf8');
  } catch {
    return '';
  }
}
