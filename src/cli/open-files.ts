/**
 * Checks the limit on open files of this process (`ulimit -n`). If the limit is too low, loading the modules of a command fails
 * with messages that do not name the cause. So main.ts checks the limit first, and this file imports little.
 */
import { EXIT, type ExitCode } from '../kernel/errors.js';
import { openFileLimit } from '../kernel/open-files.js';

/**
 * Lowest accepted limit. Loading `serve` fails with 100 and succeeds with 200; a running service needs one more for each
 * connection.
 */
const LEAST = 256;

/** Why the program cannot start. */
export interface Complaint {
  readonly text: string;
  readonly exit: ExitCode;
}

/**
 * The message to print if the limit of this process is too low; undefined if it is sufficient, and on systems other than Linux.
 */
export function tooFewOpenFiles(limits?: string): Complaint | undefined {
  const most = openFileLimit(limits);
  if (most === undefined || most >= LEAST) return undefined;
  const lines = [
    `ghostfleet: the limit of open files is ${most}; at least ${LEAST} are required`,
    'raise it, for example with "ulimit -n 4096"; a service needs one file for each connection',
    '',
  ];
  return { text: lines.join('\n'), exit: EXIT.usage };
}
