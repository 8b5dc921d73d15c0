/** Checks that the working directory of this process exists: without it, Node cannot load the modules of a command. */
import { EXIT } from '../kernel/errors.js';
import type { Complaint } from './open-files.js';

/** The message to print if the directory was deleted; undefined if it exists. @param cwd throws if it does not exist */
export function noWorkingDirectory(cwd: () => string): Complaint | undefined {
  try {
    cwd();
    return undefined;
  } catch {
    const text = 'ghostfleet: the working directory was deleted\nchange to another one\n';
    return { text, exit: EXIT.usage };
  }
}
