/**
 * Bundles the program and the library into a few files. Unbundled, with their packages, they are 1,000 files and take twice as
 * long to start, because Node finds, opens and compiles each module separately.
 */
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { buildSync, type Metafile } from 'esbuild';
import { listPrepared } from '../../src/profile/library.js';
import { COMMON_JS } from './bundle.js';
import { isNewerThan } from './newer.mjs';
import { filesIn, updateFolder } from './update-folder.js';

/** Packages that are not bundled: those that are native or optional, and those that read files of their own. */
const OUTSIDE = [
  ...['better-sqlite3', 'pg-native', 'tsx', 'yargs', 'graphile-worker', '@fastify/swagger-ui'],
  ...['quickjs-emscripten-core', '@jitl/*'],
];

/** Packages of which esbuild takes the modules and not the CommonJS files, so that it leaves out what is not used. */
const ALIAS = Object.fromEntries(
  ['api', 'api-logs', 'core', 'otlp-transformer', 'resources', 'sdk-logs', 'sdk-metrics', 'sdk-trace'].map((name) => [
    `@opentelemetry/${name}`,
    resolve(`node_modules/@opentelemetry/${name}/build/esm/index.js`),
  ]),
);

/** File with the licences of the packages in the program. */
const LICENCES = 'LICENCES.txt';

/** Two folders deep, like the files in src/ that look for the root of the package. */
const FOLDER = '.bench/program';
/** The modification time of this file is the beginning of the build in the folder. */
const BUILT = join(FOLDER, '.built');

/** Path of the program. Builds the program if a source has changed since the last build. */
export function program(): string {
  if (!isNewerThan(BUILT, ['src', 'profiles', 'scripts/support', 'package-lock.json'])) {
    const began = new Date();
    updateFolder(resolve(FOLDER), programFiles(resolve(FOLDER)));
    writeFileSync(BUILT, '');
    utimesSync(BUILT, began, began);
  }
  return join(FOLDER, 'main.mjs');
}

/**
 * Returns `main.mjs`, `index.mjs`, the files of threads, what they share, the licences of the packages in them, and the
 * prepared profiles, by path.
 * @param folder two levels below the root of the package, like the sources that look for files there
 */
export function programFiles(folder: string): ReadonlyMap<string, Uint8Array> {
  const entryPoints = { main: 'src/main.ts', index: 'src/index.ts', ...threads() };
  const { outputFiles, metafile } = buildSync({
    ...{ entryPoints, outdir: folder, chunkNames: '[name]-[hash]', outExtension: { '.js': '.mjs' }, write: false },
    ...{
      bundle: true,
      splitting: true,
      external: OUTSIDE,
      alias: ALIAS,
      platform: 'node',
      format: 'esm',
      target: 'node20',
    },
    ...{ banner: { js: COMMON_JS }, metafile: true, logLevel: 'error' },
  });
  rejectPackagesOnDemand(metafile.inputs);
  const files = new Map(outputFiles.map(({ path, contents }) => [path, contents]));
  const at = dirname(outputFiles[0]?.path ?? '');
  files.set(join(at, LICENCES), Buffer.from(licencesOf(Object.keys(metafile.inputs))));
  for (const [path, content] of listPrepared()) files.set(join(at, path), content);
  return files;
}

/**
 * A bundled CommonJS package that is imported with `import()` has only a default export, unlike the same package in
 * node_modules. A static import in a file of our own, which may be imported with `import()`, has all exports.
 */
export function rejectPackagesOnDemand(inputs: Metafile['inputs']): void {
  const sources = Object.entries(inputs).filter(([file]) => file.startsWith('src/'));
  const found = sources.flatMap(([file, { imports }]) =>
    imports
      .filter(({ kind, external, path }) => kind === 'dynamic-import' && !external && path.includes('node_modules/'))
      .map(({ path }) => `${file} imports ${path.slice(path.lastIndexOf('node_modules/'))} with import()`),
  );
  if (found.length > 0) throw new Error(`${found.join('\n')}\nimport the package statically in a file of its own`);
}

/** The first file of each thread, by name. It is beside the module that starts the thread. */
function threads(): Readonly<Record<string, string>> {
  const found = new Map<string, string>();
  for (const source of filesIn('src').filter((file) => file.endsWith('.ts'))) {
    for (const [, name = ''] of readFileSync(source, 'utf8').matchAll(/new URL\('\.\/([\w-]+)\.mjs'/g)) {
      const path = join(dirname(source), `${name}.mjs`);
      if ((found.get(name) ?? path) !== path) throw new Error(`two threads have the name "${name}": rename ${path}`);
      found.set(name, path);
    }
  }
  return Object.fromEntries(found);
}

/** The licences of the packages that these files belong to. */
function licencesOf(inputs: readonly string[]): string {
  const packages = new Set(inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []));
  const texts = [...packages].sort().map((folder) => {
    const file = readdirSync(folder).find(
      (name) => /^(licen[cs]e|copying)/i.test(name) && existsSync(join(folder, name)),
    );
    const { name, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const text = file === undefined ? `Licence: ${license}` : readFileSync(join(folder, file), 'utf8').trim();
    return `${name ?? basename(folder)}\n\n${text}\n`;
  });
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}
