/** Bundles a program that a test runs in a process of its own. Loading its sources with tsx would take three times as long. */
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

/** Threads of the SQLite store. It looks for their files beside its own code, which is in the bundle. */
const THREADS = ['writer', 'reader', 'page-check'].map((name) => `src/cloud/store/sqlite/${name}.mjs`);

/**
 * Path of the bundled program.
 * @param source for example `new URL('./program.ts', import.meta.url)`; its file name differs from those of other programs
 */
export function bundled(source: URL): string {
  const path = fileURLToPath(source);
  const name = basename(path, '.ts');
  // In the folder of the package, where Node finds the packages that are not bundled.
  const folder = resolve('.bench', name);
  buildSync({
    ...{ entryPoints: [path, ...THREADS], outdir: folder, entryNames: '[name]', outExtension: { '.js': '.mjs' } },
    ...{ bundle: true, packages: 'external', platform: 'node', format: 'esm', logLevel: 'error' },
  });
  return join(folder, `${name}.mjs`);
}
