/**
 * Compiles src/ once for all workers, so that Node loads the compiled files. Without this, each worker requests every module
 * from vite: the tests of the library, which load nearly all modules, would take 14 s of CPU instead of 9 s.
 *
 * Runs with coverage and runs that follow the imports of tests (`--watch`, `--changed`, `related`) use vite. Stack traces name
 * the sources in both cases.
 */
import { readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { build } from 'esbuild';
import type { Plugin } from 'vitest/config';
import { program } from '../../scripts/support/program.js';
import { filesIn, updateFolder } from '../../scripts/support/update-folder.js';

const SOURCES = resolve('src');
/** Folder of the compiled files. It is as deep as src/, because some modules look for the root of the package above them. */
const COMPILED = resolve('.compiled');

/**
 * Entry files of the threads that load most of the sources. In tests, these threads load the bundled program instead, which
 * takes a quarter of the time.
 */
const THREADS = [
  'cli/attempt-thread.mjs',
  'cli/scenario-check/check-thread.mjs',
  'runner/capacity/level-thread.mjs',
  'runner/divided/threads/part-thread.mjs',
].map((path) => join(COMPILED, path));

/** Name of the folder with the prepared profiles, which is beside the program and beside `profile/library.ts`. */
const PROFILES = 'profiles';

/** Matches the files that Node loads without vite, for the setting `server.deps.external`. */
export const isCompiled = /\/\.compiled\//;

export function compiledSources(): Plugin {
  let isUsed = false;
  /** The sources that are compiled. */
  let sources: ReadonlySet<string> = new Set();
  return {
    name: 'compiled-sources',
    enforce: 'pre',
    async configureVitest({ vitest }) {
      const { coverage, watch, changed, related } = vitest.config;
      isUsed = !(coverage.enabled || watch || changed || related);
      if (isUsed) sources = new Set(await compile());
    },
    async resolveId(source, importer, options) {
      if (!isUsed || !/^[./]/.test(source)) return undefined;
      // Most imports of tests are such, and vite would look for each of them on the disk.
      const named = importer === undefined ? '' : resolve(dirname(importer), source).replace(/\.js$/, '.ts');
      if (sources.has(named)) return compiledOf(named);
      const found = await this.resolve(source, importer, { ...options, skipSelf: true });
      return found?.id.startsWith(`${SOURCES}/`) ? compiledOf(found.id) : found;
    },
  };
}

/** Returns the paths of the sources. */
async function compile(): Promise<readonly string[]> {
  const sources = filesIn(SOURCES);
  const { outputFiles } = await build({
    entryPoints: sources.filter((file) => file.endsWith('.ts')),
    ...{ outbase: SOURCES, outdir: COMPILED, write: false, format: 'esm', platform: 'node' },
    ...{ sourcemap: 'inline', sourcesContent: false },
  });
  const modules = new Map(outputFiles.map(({ path, contents }) => [path, contents]));
  for (const file of sources) if (file.endsWith('.mjs')) modules.set(compiledOf(file), readFileSync(file));
  const folder = resolve(dirname(program()));
  for (const thread of THREADS) {
    const path = relative(dirname(thread), join(folder, basename(thread)));
    modules.set(thread, Buffer.from(`import '${path}';\n`));
  }
  // Prepared profiles, because each worker would take a second to read the packaged profiles from YAML.
  for (const file of filesIn(join(folder, PROFILES))) {
    modules.set(join(COMPILED, 'profile', PROFILES, basename(file)), readFileSync(file));
  }
  updateFolder(COMPILED, modules);
  return sources;
}

function compiledOf(source: string): string {
  return join(COMPILED, relative(SOURCES, source).replace(/\.ts$/, '.js'));
}
