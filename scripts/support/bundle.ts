/**
 * Bundles each program into one file, with all packages except native ones. A program starts several times as fast from one
 * file as from hundreds of files.
 */
import { buildSync } from 'esbuild';

/** What bundled CommonJS packages expect. The sources, and packages that are modules, have names of their own for it. */
export const COMMON_JS = {
  banner: {
    js: `import { createRequire as createRequireOfPackages } from 'node:module';
const require = createRequireOfPackages(import.meta.url);
const dirnameOfPackages = import.meta.dirname;
const filenameOfPackages = import.meta.filename;`,
  },
  define: { __dirname: 'dirnameOfPackages', __filename: 'filenameOfPackages' },
};

/** @param programs the file of each program by its name @param folder where `NAME` + `extension` is written */
export function bundle(programs: Readonly<Record<string, string>>, folder: string, extension: '.js' | '.mjs'): void {
  buildSync({
    entryPoints: { ...programs },
    ...{ outdir: folder, outExtension: { '.js': extension }, bundle: true, external: ['better-sqlite3', 'pg-native'] },
    ...{ platform: 'node', format: 'esm', target: 'node20', minifyWhitespace: true, ...COMMON_JS },
    logLevel: 'error',
  });
}
