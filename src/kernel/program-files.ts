/**
 * Whether the files of the running program are still on disk. The bundled program loads some files only when it needs them, and
 * their names change with each build: after an update of the package, they cannot be found.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What to do after the program was replaced; the end of a sentence or a hint. */
export const PROGRAM_REPLACED = 'the program was replaced or removed on disk while it ran: start it again';

/** @param module address of a module of the program */
export function isProgramReplaced(module: string = import.meta.url): boolean {
  return module.startsWith('file:') && !existsSync(fileURLToPath(module));
}
