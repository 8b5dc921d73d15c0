/** Reads the files of the project for the tests in this folder. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

/** Paths, from the root of the project, of the files below a folder whose names end in `ending`, in alphabetical order. */
export function pathsIn(folder: string, ending: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(ending))
    .map((file) => join(folder, file))
    .sort();
}

export function textOf(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** Path of the file that the file `from` imports as `specifier`; undefined for a package. */
export function target(from: string, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) return undefined;
  const path = normalize(join(dirname(from), specifier));
  const source = path.replace(/\.js$/, '.ts');
  return existsSync(join(ROOT, source)) ? source : path;
}

/** For a file in src/, `src/` with the next part of its path; for another file, the first part of its path, such as `docs`. */
export function moduleOf(path: string): string {
  const [folder = '', inner = ''] = path.split('/');
  return folder === 'src' ? `src/${inner}` : folder;
}
