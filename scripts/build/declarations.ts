/** The declarations of the package. */
import { readFileSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import ts from 'typescript';
import { filesIn } from '../support/update-folder.js';

/**
 * Deletes all declarations in a folder that those of an entry do not need.
 * @throws Error if one that is needed has types of a package, because users do not have the packages in the program
 */
export function keepDeclarations(folder: string, entry: string): void {
  const needed = new Set<string>();
  const need = (file: string) => {
    if (needed.has(file)) return;
    needed.add(file);
    for (const name of importsOf(file)) {
      if (name.startsWith('.')) need(declarationOf(resolve(dirname(file), name)));
      else if (!name.startsWith('node:')) throw new Error(`${file} has types of ${name}, which users do not have`);
    }
  };
  need(resolve(folder, entry));
  for (const file of filesIn(resolve(folder))) if (/\.d\.m?ts$/.test(file) && !needed.has(file)) rmSync(file);
}

/** The modules whose types a declaration uses, as it names them. */
function importsOf(file: string): readonly string[] {
  return ts.preProcessFile(readFileSync(file, 'utf8')).importedFiles.map(({ fileName }) => fileName);
}

function declarationOf(module: string): string {
  return module.replace(/\.(m?)js$/, '.d.$1ts');
}
