/** Every export is imported by another file, or belongs to the public surface (src/index.ts). */
import { describe, expect, it } from 'vitest';
import { moduleOf, pathsIn, target, textOf } from './sources.js';

/** Accepted number of exports that no file imports, by module. Lower a number when you remove such exports; never raise one. */
const LEFT: Readonly<Record<string, number>> = {};

// The formatter leaves only these forms of imports and exports. Matching them takes a tenth of the time of a parser.
const NAMED = /\b(?:import|export)\s+(?:type\s+)?(?:\w+,\s*)?(\{[^}]*\}|\*(?:\s+as\s+\w+)?)\s+from\s+'([^']+)'/g;
const WHOLE = /\bimport(?:\(|\s+)'([^']+)'/g;
const DECLARED = /^export (?:abstract |async )*(?:const enum|const|let|function\*?|class|interface|type|enum) (\w+)/gm;
const LISTED = /^export (?:type )?\{([^}]*)\}/gm;

/** Names that are imported from each file; `*` if all its names are imported. */
function importsOf(paths: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const imported = new Map<string, Set<string>>();
  const add = (path: string | undefined, names: readonly string[]): void => {
    if (path !== undefined) imported.set(path, new Set([...(imported.get(path) ?? []), ...names]));
  };
  for (const path of paths) {
    const text = textOf(path);
    for (const [, names = '', from = ''] of text.matchAll(NAMED)) {
      const [, space] = /^\*\s+as\s+(\w+)/.exec(names) ?? [];
      if (space) add(target(path, from), usesOf(space, text));
      else add(target(path, from), names.startsWith('*') ? ['*'] : namesIn(names.slice(1, -1), 0));
    }
    for (const [, from = ''] of text.matchAll(WHOLE)) add(target(path, from), ['*']);
  }
  return imported;
}

/** The names that a text uses of a module that it imports as a whole; `*` if it uses the module itself. */
function usesOf(space: string, text: string): readonly string[] {
  const names = [...text.matchAll(new RegExp(`(?<![\\w.])${space}\\.(\\w+)`, 'g'))].map(([, name = '']) => name);
  return names.length === 0 ? ['*'] : names;
}

function exportsOf(path: string): readonly string[] {
  const text = textOf(path);
  const declared = [...text.matchAll(DECLARED)].map(([, name = '']) => name);
  return [...declared, ...[...text.matchAll(LISTED)].flatMap(([, names = '']) => namesIn(names, -1))];
}

/**
 * The names in a list such as `a, type b as c`. @param which 0: names before `as`, which are those in the other file; -1: names
 * after `as`
 */
function namesIn(list: string, which: 0 | -1): readonly string[] {
  return list.split(',').flatMap((item) => {
    const names = item
      .trim()
      .replace(/^type /, '')
      .split(' as ');
    return names.at(which) || [];
  });
}

describe('exports', () => {
  it('have an importer, or belong to the public surface', () => {
    const sources = pathsIn('src', '.ts');
    const others = ['test', 'bench', 'scripts'].flatMap((folder) => pathsIn(folder, '.ts'));
    // The files of threads are plain JavaScript (`.mjs`). They import types in JSDoc comments.
    const imported = importsOf([...sources, ...others, ...pathsIn('src', '.mjs')]);
    const unused = sources
      .filter((path) => path !== 'src/index.ts' && path !== 'src/main.ts')
      .flatMap((path) => {
        const names = imported.get(path);
        if (names?.has('*')) return [];
        return exportsOf(path)
          .filter((name) => !names?.has(name))
          .map((name) => ({ module: moduleOf(path), complaint: `${path}: ${name}` }));
      });
    const modules = new Map<string, string[]>();
    for (const { module, complaint } of unused) modules.set(module, [...(modules.get(module) ?? []), complaint]);
    const tooMany = [...modules].filter(([module, complaints]) => complaints.length > (LEFT[module] ?? 0));
    expect(
      tooMany.flatMap(([, complaints]) => complaints),
      'these exports have no importer: remove the word "export", or the code if nothing in the file uses it',
    ).toEqual([]);
  });
});
