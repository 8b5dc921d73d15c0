/**
 * Checks what the program needs before main.ts loads its modules: enough open files (`ulimit -n`), and a working directory.
 * Without them, loading the modules of a command fails with messages that do not name the cause. So this file imports little.
 */
import { EXIT, type ExitCode } from '../kernel/errors.js';
import { openFileLimit } from '../kernel/open-files.js';

/** Lowest accepted limit: loading `serve` fails with 100 and succeeds with 200; each connection needs one more. */
const LEAST = 256;

/** Why the program cannot start. */
interface Complaint {
  readonly text: string;
  readonly exit: ExitCode;
}

/**
 * The message to print if the limit of this process is too low; undefined if it is sufficient, and on systems other than Linux.
 */
export function checkOpenFiles(limits?: string): Complaint | undefined {
  const most = openFileLimit(limits);
  if (most === undefined || most >= LEAST) return undefined;
  const lines = [
    `ghostfleet: the limit of open files is ${most}; at least ${LEAST} are required`,
    'raise it, for example with "ulimit -n 4096"; a service needs one file for each connection',
    '',
  ];
  return { text: lines.join('\n'), exit: EXIT.usage };
}

/** The message to print if the directory was deleted; undefined if it exists. @param cwd throws if it does not exist */
export function checkWorkingDirectory(cwd: () => string): Complaint | undefined {
  try {
    cwd();
    return undefined;
  } catch {
    const text = 'ghostfleet: the working directory was deleted\nchange to another one\n';
    return { text, exit: EXIT.usage };
  }
}
