/** What a file exports is imported somewhere, or belongs to the public surface (src/index.ts). */
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { moduleOf, parsed, pathsIn, type SourceFile, target, textOf } from './sources.js';

/**
 * Exports without importer that are left, by module. These numbers only become smaller: lower them when you remove some.
 */
const LEFT: Readonly<Record<string, number>> = {};

/** Names that are imported from each file; `*` where all of them are. */
function importsOf(files: readonly SourceFile[]): ReadonlyMap<string, ReadonlySet<string>> {
  const imported = new Map<string, Set<string>>();
  const add = (path: string | undefined, name: string): void => {
    if (path === undefined) return;
    const names = imported.get(path) ?? new Set();
    imported.set(path, names.add(name));
  };
  for (const { path, tree } of files) {
    for (const statement of tree.statements) {
      const named = importedNames(statement);
      for (const name of named?.names ?? []) add(target(path, named?.from ?? ''), name);
    }
    const visit = (node: ts.Node): void => {
      const specifier = dynamicImport(node);
      if (specifier !== undefined) add(target(path, specifier), '*');
      ts.forEachChild(node, visit);
    };
    if (tree.text.includes('import(')) visit(tree);
  }
  // Threads are plain JavaScript; their comments import types.
  for (const path of pathsIn('src', '.mjs')) {
    for (const [, specifier = ''] of textOf(path).matchAll(/import\('([^']+)'\)/g)) add(target(path, specifier), '*');
  }
  return imported;
}

/** What `import { a, b as c } from './x.js'` and `export { a } from './x.js'` take. */
function importedNames(
  statement: ts.Statement,
): { readonly from: string; readonly names: readonly string[] } | undefined {
  if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return undefined;
  const { moduleSpecifier } = statement;
  if (!moduleSpecifier || !ts.isStringLiteral(moduleSpecifier)) return undefined;
  const bindings = ts.isImportDeclaration(statement) ? statement.importClause?.namedBindings : statement.exportClause;
  const elements = bindings && 'elements' in bindings ? bindings.elements : undefined;
  const names = elements?.map((element) => (element.propertyName ?? element.name).text) ?? ['*'];
  return { from: moduleSpecifier.text, names };
}

/** `import('./x.js')`, as a value or as a type. */
function dynamicImport(node: ts.Node): string | undefined {
  const argument = ts.isImportTypeNode(node)
    ? ts.isLiteralTypeNode(node.argument) && node.argument.literal
    : ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword && node.arguments[0];
  return argument && ts.isStringLiteral(argument) ? argument.text : undefined;
}

function exportsOf({ tree }: SourceFile): readonly string[] {
  return tree.statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement)) {
      const { exportClause } = statement;
      return exportClause && ts.isNamedExports(exportClause) ? exportClause.elements.map(({ name }) => name.text) : [];
    }
    if (!ts.canHaveModifiers(statement)) return [];
    if (!ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return [];
    if (ts.isVariableStatement(statement)) {
      return statement.declarationList.declarations.map(({ name }) => name.getText(tree));
    }
    const { name } = statement as ts.DeclarationStatement;
    return name ? [name.getText(tree)] : [];
  });
}

describe('exports', () => {
  it('have an importer, or belong to the public surface', { timeout: 60_000 }, () => {
    const sources = parsed('src');
    const imported = importsOf([...sources, ...['test', 'bench', 'scripts'].flatMap(parsed)]);
    const unused = sources
      .filter(({ path }) => path !== 'src/index.ts' && path !== 'src/main.ts')
      .flatMap((file) => {
        const names = imported.get(file.path);
        if (names?.has('*')) return [];
        return exportsOf(file)
          .filter((name) => !names?.has(name))
          .map((name) => ({ module: moduleOf(file.path), complaint: `${file.path}: ${name}` }));
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
