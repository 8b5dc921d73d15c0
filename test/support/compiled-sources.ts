/**
 * Compiles src/, the tests and what they share once for all workers, so that Node loads the compiled files. Without this, each
 * worker requests every module from vite: the tests of the library, which load nearly all modules, would take 14 s of CPU
 * instead of 9 s.
 *
 * Runs with coverage and runs that follow the imports of tests (`--watch`, `--changed`, `related`) use vite. Stack traces name
 * the sources in both cases.
 */
import { readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin as Extension } from 'esbuild';
import type { Plugin } from 'vitest/config';
import { program } from '../../scripts/support/program.js';
import { filesIn, updateFolder } from '../../scripts/support/update-folder.js';

const SOURCES = resolve('src');
/** The folders of the tests and of what they share. */
const BESIDE = [resolve('test'), resolve('scripts'), resolve('bench')];
/**
 * Folder of the compiled files. src/ itself is compiled to it, because some modules look for the root of the package above
 * them.
 */
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

/** The importer of the files that vitest itself imports: tests, and the setup that runs again for each test. */
const OF_VITE = resolve('index.html');

/** Matches the files that Node loads without vite, for the setting `server.deps.external`. */
export const isCompiled = /\/\.compiled\//;

export function compiledSources(): Plugin {
  let isUsed = false;
  /** The files that are compiled. */
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
      if (!isUsed || importer === undefined || importer === OF_VITE || !/^[./]/.test(source)) return undefined;
      // Most imports are such, and vite would look for each of them on the disk.
      const named = importedFrom(dirname(importer), source);
      if (sources.has(named)) return compiledOf(named);
      const found = await this.resolve(source, importer, { ...options, skipSelf: true });
      return found && sources.has(found.id) ? compiledOf(found.id) : found;
    },
    // Vite knows the tests, so that messages show their lines.
    load(id) {
      return isUsed && id.endsWith('.test.ts') && sources.has(id) ? `import '${compiledOf(id)}';` : undefined;
    },
  };
}

/** Returns the paths of the files. */
async function compile(): Promise<readonly string[]> {
  const sources = filesIn(SOURCES);
  const beside = BESIDE.flatMap(filesIn).filter((file) => /\.m?[jt]s$/.test(file) && !needsVite(file));
  const modules = new Map<string, Uint8Array>();
  for (const { outputFiles } of await Promise.all([compileSources(sources), compileTests(beside)])) {
    for (const { path, contents } of outputFiles ?? []) modules.set(path, contents);
  }
  for (const file of [...sources, ...beside])
    if (file.endsWith('.mjs')) modules.set(compiledOf(file), readFileSync(file));
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
  return [...sources, ...beside];
}

const OUTPUT = {
  ...({ outdir: COMPILED, write: false, format: 'esm', platform: 'node' } as const),
  ...({ sourcemap: 'inline', sourcesContent: false } as const),
};

function compileSources(files: readonly string[]) {
  return build({ ...OUTPUT, entryPoints: files.filter((file) => file.endsWith('.ts')), outbase: SOURCES });
}

/** Unlike src/, these files need other paths in their imports. */
function compileTests(files: readonly string[]) {
  return build({
    ...OUTPUT,
    ...{ entryPoints: files.filter((file) => file.endsWith('.ts')), outbase: resolve('.'), bundle: true },
    ...{ packages: 'external', treeShaking: false, plugins: [keepPaths], define: META, target: 'node20' },
  });
}

/** What a compiled file has instead of its own `import.meta`. */
const META = {
  'import.meta.url': 'urlOfSource',
  'import.meta.filename': 'pathOfSource',
  'import.meta.dirname': 'folderOfSource',
};

/** Keeps what a file imports, except for JSON, which becomes a part of it, and what it knows of its place. */
const keepPaths: Extension = {
  name: 'keep-paths',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.\.?\/.*js$/ }, ({ path, importer, resolveDir }) => {
      const to = relative(dirname(compiledOf(importer)), compiledOf(importedFrom(resolveDir, path)));
      return { path: to.startsWith('.') ? to : `./${to}`, external: true };
    });
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const contents = readFileSync(path, 'utf8');
      return { contents: contents.includes('import.meta') ? `${metaOf(path)}${contents}` : contents, loader: 'ts' };
    });
  },
};

/** On a line with the beginning of the file, so that the numbers of the lines stay. */
function metaOf(path: string): string {
  const values = { urlOfSource: pathToFileURL(path).href, pathOfSource: path, folderOfSource: dirname(path) };
  return Object.entries(values)
    .map(([name, value]) => `const ${name} = ${JSON.stringify(value)}; `)
    .join('');
}

/** Whether a file has parts of the console, which vite compiles, or imports the package by its name. */
function needsVite(file: string): boolean {
  return /from '(\S+\/web\/src\/|ghostfleet')|import\('\S+\/web\/src\//.test(readFileSync(file, 'utf8'));
}

function importedFrom(folder: string, path: string): string {
  return resolve(folder, path).replace(/\.js$/, '.ts');
}

function compiledOf(source: string): string {
  const isSource = source.startsWith(`${SOURCES}/`);
  return join(COMPILED, relative(isSource ? SOURCES : resolve('.'), source).replace(/\.ts$/, '.js'));
}
