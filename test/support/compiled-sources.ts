/**
 * Compiles src/ once for all workers, and Node loads the compiled files. Otherwise each worker requests every module from vite
 * and evaluates it there: a run of the tests of the library, which load nearly all modules, takes 14 s of CPU instead of 9 s.
 *
 * Runs with coverage and runs that follow the imports of tests (`--watch`, `--changed`, `related`) use vite. Stack traces name the
 * sources in both cases.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { build } from 'esbuild';
import type { Plugin } from 'vitest/config';

const SOURCES = resolve('src');
/** As deep as src/: some modules look for the root of the package. */
const COMPILED = resolve('.compiled');

/** For `server.deps.external`: files that Node loads without vite. */
export const isCompiled = /\/\.compiled\//;

export function compiledSources(): Plugin {
  let isUsed = false;
  return {
    name: 'compiled-sources',
    enforce: 'pre',
    async configureVitest({ vitest }) {
      const { coverage, watch, changed, related } = vitest.config;
      isUsed = !(coverage.enabled || watch || changed || related);
      if (isUsed) await compile();
    },
    async resolveId(source, importer, options) {
      if (!isUsed || !source.startsWith('.')) return undefined;
      const found = await this.resolve(source, importer, { ...options, skipSelf: true });
      return found?.id.startsWith(`${SOURCES}/`) ? compiledOf(found.id) : found;
    },
  };
}

/** Replaces only files that differ, each in one step: another run may be reading them. */
async function compile(): Promise<void> {
  const sources = filesIn(SOURCES);
  const { outputFiles } = await build({
    entryPoints: sources.filter((file) => file.endsWith('.ts')),
    ...{ outbase: SOURCES, outdir: COMPILED, write: false, format: 'esm', platform: 'node' },
    ...{ sourcemap: 'inline', sourcesContent: false },
  });
  const contents = new Map(outputFiles.map(({ path, contents }) => [path, Buffer.from(contents)]));
  for (const file of sources) if (file.endsWith('.mjs')) contents.set(compiledOf(file), readFileSync(file));
  for (const file of existsSync(COMPILED) ? filesIn(COMPILED) : []) {
    if (!/\.m?js$/.test(file)) continue;
    const content = contents.get(file);
    if (content === undefined) rmSync(file, { force: true });
    else if (readFileSync(file).equals(content)) contents.delete(file);
  }
  for (const [file, content] of contents) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(`${file}.${process.pid}`, content);
    renameSync(`${file}.${process.pid}`, file);
  }
}

function compiledOf(source: string): string {
  return join(COMPILED, relative(SOURCES, source).replace(/\.ts$/, '.js'));
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? join(entry.parentPath, entry.name) : [],
  );
}
