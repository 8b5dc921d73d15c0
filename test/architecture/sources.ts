/** The project's files as these tests read them: text, and the syntax tree of what is TypeScript. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '..', '..');

export interface SourceFile {
  /** Path from the project's root. */
  readonly path: string;
  readonly tree: ts.SourceFile;
}

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

const trees = new Map<string, readonly SourceFile[]>();

/** The TypeScript files of a folder. */
export function parsed(folder: string): readonly SourceFile[] {
  const known = trees.get(folder);
  if (known) return known;
  const files = pathsIn(folder, '.ts').map((path) => ({
    path,
    tree: ts.createSourceFile(path, textOf(path), {
      languageVersion: ts.ScriptTarget.Latest,
      // Comments are half of the text, and no test looks at their structure.
      jsDocParsingMode: ts.JSDocParsingMode.ParseNone,
    }),
  }));
  trees.set(folder, files);
  return files;
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
