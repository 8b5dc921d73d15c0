/** The project's files as these tests read them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

/** Paths below a folder whose names end so, from the project's root, in alphabetical order. */
export function pathsIn(folder: string, ending: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(ending))
    .map((file) => join(folder, file))
    .sort();
}

export function textOf(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** The file that `specifier` names in `from`; undefined for a package. */
export function target(from: string, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) return undefined;
  const path = normalize(join(dirname(from), specifier));
  const source = path.replace(/\.js$/, '.ts');
  return existsSync(join(ROOT, source)) ? source : path;
}

/** The folder below src/ that a file lies in, or its own name there; `docs` and the like elsewhere. */
export function moduleOf(path: string): string {
  const [folder = '', inner = ''] = path.split('/');
  return folder === 'src' ? `src/${inner}` : folder;
}
