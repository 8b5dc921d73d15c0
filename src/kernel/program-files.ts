/**
 * The files of the running program, and whether they are still on disk. The bundled program loads some files only when it
 * needs them, and their names change with each build: after an update of the package, they cannot be found.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What to do after the program was replaced; the end of a sentence or a hint. */
export const PROGRAM_REPLACED = 'the program was replaced or removed on disk while it ran: start it again';

/**
 * Path of a file of the program. Not an object of the class `URL`: in a test environment with a DOM, the global class is another,
 * and a bundler takes `new URL(…, import.meta.url)` for the address of an asset.
 * @param module address of a module, `import.meta.url` @param path from the folder of the module
 */
export function pathFrom(module: string, path: string): string {
  return join(fileURLToPath(module), '..', path);
}

/** @param module address of a module of the program */
export function isProgramReplaced(module: string = import.meta.url): boolean {
  return module.startsWith('file:') && !existsSync(fileURLToPath(module));
}
