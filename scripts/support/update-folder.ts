/** Files that a build writes and other processes read. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Writes modules and other files, by absolute path, to a folder, and deletes all other modules and `.bin` files in the folder. A file that differs is replaced in one step, because another process may be reading it.
 */
export function updateFolder(folder: string, modules: ReadonlyMap<string, Uint8Array>): void {
  const changed = new Map(modules);
  for (const file of existsSync(folder) ? filesIn(folder) : []) {
    const content = modules.get(file);
    if (content !== undefined && readFileSync(file).equals(content)) changed.delete(file);
    else if (content === undefined && /\.(m?js|bin)$/.test(file)) rmSync(file, { force: true });
  }
  for (const [file, content] of changed) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(`${file}.${process.pid}`, content);
    renameSync(`${file}.${process.pid}`, file);
  }
}

/** Paths of all files in a folder and the folders in it. */
export function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? join(entry.parentPath, entry.name) : [],
  );
}
