/**
 * The limit on open files of this process (`ulimit -n`). Below a certain limit, loading the modules of a command already
 * fails, with messages that do not name the cause.
 */
import { readFileSync } from 'node:fs';
import { UsageError } from '../kernel/errors.js';

/** Loading `serve` fails with 100 and succeeds with 200; a service then needs one for each connection. */
const LEAST = 256;

/** The limits of this process. Only Linux has this file. */
const LIMITS = '/proc/self/limits';

/** @throws UsageError `open-files` if the limit of this process is too low; unknown on systems other than Linux */
export function checkOpenFiles(limits = readLimits()): void {
  const most = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? LEAST);
  if (most >= LEAST) return;
  throw new UsageError(
    'open-files',
    `the limit of open files is ${most}; at least ${LEAST} are required`,
    'raise it, for example with "ulimit -n 4096"; a service needs one file for each connection',
  );
}

function readLimits(): string {
  try {
    return readFileSync(LIMITS, 'utf8');
  } catch {
    return '';
  }
}
