/**
 * Bundles each program into one file, with all packages except native ones. A program starts several times as fast from one
 * file as from hundreds of files.
 */
import { buildSync } from 'esbuild';

/** Definitions that bundled CommonJS packages expect. The sources have names of their own for what they import. */
export const COMMON_JS = `import { createRequire as createRequireOfPackages } from 'node:module';
const require = createRequireOfPackages(import.meta.url);
const __dirname = import.meta.dirname;
const __filename = import.meta.filename;`;

/** @param programs the file of each program by its name @param folder where `NAME` + `extension` is written */
export function bundle(programs: Readonly<Record<string, string>>, folder: string, extension: '.js' | '.mjs'): void {
  buildSync({
    entryPoints: { ...programs },
    ...{ outdir: folder, outExtension: { '.js': extension }, bundle: true, external: ['better-sqlite3', 'pg-native'] },
    ...{ platform: 'node', format: 'esm', target: 'node20', minifyWhitespace: true, banner: { js: COMMON_JS } },
    logLevel: 'error',
  });
}
