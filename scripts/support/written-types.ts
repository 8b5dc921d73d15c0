/**
 * Writes out the types of the client in the declarations of the package: field by field, with the meaning and the form of each.
 * The sources derive these types from the schemas in src/contract. Users get plain types instead, with comments for their
 * editors.
 */
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { describeField, type SchemaObject } from '../../src/cloud/http/documentation.js';

const ROOT = resolve(import.meta.dirname, '../..');
const FLAGS = ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.InTypeAlias;

/** Rewrites the types of the client in a folder with declarations. Types that are written out already stay as they are. */
export async function writeOutTypes(folder: string): Promise<void> {
  const file = join(folder, 'client/types.d.ts');
  const program = ts.createProgram([file], {
    ...{ strict: true, exactOptionalPropertyTypes: true, skipLibCheck: true, types: [], noEmit: true },
    ...{ target: ts.ScriptTarget.ES2023, lib: ['lib.es2023.d.ts'] },
    ...{ module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext },
    paths: { typebox: [join(ROOT, 'node_modules/typebox/build/index.d.mts')] },
  });
  const source = program.getSourceFile(file);
  if (!source) throw new Error(`${file} is missing`);
  const checker = program.getTypeChecker();
  const textOf = (type: ts.Type) => checker.typeToString(type, undefined, FLAGS).replaceAll('"', "'");
  const names = new Map<string, string>();
  for (const { name, base, alias, members } of source.statements.flatMap(declared)) {
    const type = alias ?? (members === 0 ? base : undefined);
    if (type) names.set(textOf(checker.getTypeAtLocation(type)), name);
  }
  /** The text of a type, with the names of the types inside it. */
  const named = (type: ts.Type) =>
    [...names]
      .reduce((text, [literal, name]) => text.replaceAll(literal, name), textOf(type))
      .replaceAll(/\((\w+)\)\[\]/g, '$1[]');

  const text = source.getFullText();
  const parts: string[] = [];
  let end = 0;
  const replace = (from: number, to: number, by: string) => {
    parts.push(text.slice(end, from), by);
    end = to;
  };
  for (const statement of source.statements) {
    if (isNeededNoMore(statement)) replace(statement.getFullStart(), statement.end, '');
    const [{ start = 0, base = undefined, alias = undefined } = {}] = declared(statement);
    if (alias) replace(alias.getStart(), alias.end, textOf(checker.getTypeAtLocation(alias)));
    if (!base) continue;
    const open = text.indexOf('{', base.end);
    replace(start, open + 1, ` {${await fieldsOf(checker, base, named)}`);
  }
  if (end > 0) writeFileSync(file, `${parts.join('')}${text.slice(end)}`);
}

/** Imports of schemas, and types that only the derived types use. */
function isNeededNoMore(statement: ts.Statement): boolean {
  return ts.isImportDeclaration(statement) || (ts.isTypeAliasDeclaration(statement) && !statement.modifiers);
}

/** A declaration that is derived from a schema: an interface with a base, or an alias. */
interface Declared {
  readonly name: string;
  /** Where the text begins that is replaced. */
  readonly start: number;
  readonly base: ts.ExpressionWithTypeArguments | undefined;
  readonly alias: ts.TypeNode | undefined;
  /** Number of fields that the interface itself has. */
  readonly members: number;
}

/** None for a declaration that is written out already. */
function declared(statement: ts.Statement): readonly Declared[] {
  if (ts.isInterfaceDeclaration(statement)) {
    const base = statement.heritageClauses?.[0]?.types[0];
    const { name, members } = statement;
    return base ? [{ name: name.text, start: name.end, base, alias: undefined, members: members.length }] : [];
  }
  if (!ts.isTypeAliasDeclaration(statement) || statement.typeParameters || !/^\w+\.\w/.test(statement.type.getText()))
    return [];
  return [{ name: statement.name.text, start: 0, base: undefined, alias: statement.type, members: 0 }];
}

/** The fields of a type such as `Shape<typeof devices.Device>`, as lines. */
async function fieldsOf(
  checker: ts.TypeChecker,
  base: ts.ExpressionWithTypeArguments,
  named: (type: ts.Type) => string,
): Promise<string> {
  const [, family = '', name = ''] = /typeof (\w+)\.(\w+)/.exec(base.getText()) ?? [];
  // The cast is safe because `family` is the name of a file in src/contract, and `name` that of one of its schemas.
  const schemas = (await import(pathToFileURL(join(ROOT, 'src/contract', `${family}.ts`)).href)) as Readonly<
    Record<string, { readonly properties: Readonly<Record<string, SchemaObject>> }>
  >;
  const properties = schemas[name]?.properties ?? {};
  return checker
    .getPropertiesOfType(checker.getTypeAtLocation(base))
    .map((field) => {
      const about = describeField(properties[field.name] ?? {});
      const isOptional = (field.flags & ts.SymbolFlags.Optional) !== 0;
      // With `exactOptionalPropertyTypes`, the text of the type of an optional field has an undefined that the field cannot be.
      const type = named(checker.getTypeOfSymbol(field)).replace(isOptional ? / \| undefined$/ : /^$/, '');
      return `${about === '' ? '' : `\n    /** ${about} */`}\n    readonly ${field.name}${isOptional ? '?' : ''}: ${type};`;
    })
    .join('');
}
