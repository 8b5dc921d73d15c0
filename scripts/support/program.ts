/**
 * Bundles the program and the library into a few files. Unbundled, with their packages, they are 1,000 files and take twice as
 * long to start, because Node finds, opens and compiles each module separately.
 */
import { existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { buildSync, type Metafile } from 'esbuild';
import { listPrepared } from '../../src/profile/library.js';
import { COMMON_JS } from './bundle.js';
import { isNewerThan } from './newer.mjs';
import { filesIn, updateFolder } from './update-folder.js';

/** Packages that are not bundled: the native one, which is installed with ghostfleet, and optional ones, which it does without. */
const OUTSIDE = ['better-sqlite3', 'pg-native', 'tsx', 'typescript'];

/** Files and folders of bundled packages that are read at run time, by their name beside the program. */
const READ = {
  'quickjs.wasm': 'node_modules/@jitl/quickjs-wasmfile-release-sync/dist/emscripten-module.wasm',
  'swagger-ui': 'node_modules/@fastify/swagger-ui/static',
};

/** What those folders contain of projects that are no package: its notice, and where its licence is in the file. */
const NOTICES =
  'Swagger UI (swagger-ui/)\n\nCopyright 2020-2021 SmartBear Software Inc.\n\nLicence: Apache-2.0, as that of @opentelemetry/api\n';

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
 * Returns `main.mjs`, `index.mjs`, the files of threads, what they share, what they read, the licences of the packages in them,
 * and the prepared profiles, by path.
 * @param folder two levels below the root of the package, like the sources that look for files there
 */
export function programFiles(folder: string): ReadonlyMap<string, Uint8Array> {
  const { outputFiles, metafile } = bundleProgram(folder);
  rejectPackagesOnDemand(metafile.inputs);
  const files = new Map(outputFiles.map(({ path, contents }) => [path, contents]));
  files.set(join(folder, LICENCES), Buffer.from(licencesOf(packagesOf(metafile))));
  for (const [name, source] of Object.entries(READ)) {
    for (const file of statSync(source).isDirectory() ? filesIn(source) : [source]) {
      files.set(join(folder, name, relative(source, file)), readFileSync(file));
    }
  }
  for (const [path, content] of listPrepared()) files.set(join(folder, path), content);
  return files;
}

/** The packages whose code is in the program, as the lock file calls them: `node_modules/pg`. Sorted. */
export function listBundled(): readonly string[] {
  return packagesOf(bundleProgram(FOLDER).metafile);
}

function bundleProgram(outdir: string) {
  return buildSync({
    entryPoints: { main: 'src/main.ts', index: 'src/index.ts', ...threads() },
    ...{ outdir, chunkNames: '[name]-[hash]', outExtension: { '.js': '.mjs' }, write: false },
    ...{ bundle: true, splitting: true, external: OUTSIDE, alias: ALIAS },
    ...{ platform: 'node', format: 'esm', target: 'node20' },
    ...{ ...COMMON_JS, metafile: true, logLevel: 'error' },
  });
}

function packagesOf({ inputs }: Metafile): readonly string[] {
  const found = Object.keys(inputs).flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  return [...new Set(found)].sort();
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
    for (const [, name = ''] of readFileSync(source, 'utf8').matchAll(
      /pathFrom\(import\.meta\.url, '([\w-]+)\.mjs'/g,
    )) {
      const path = join(dirname(source), `${name}.mjs`);
      if ((found.get(name) ?? path) !== path) throw new Error(`two threads have the name "${name}": rename ${path}`);
      found.set(name, path);
    }
  }
  return Object.fromEntries(found);
}

/** The licences of packages in these folders. */
function licencesOf(packages: readonly string[]): string {
  const texts = packages.map((folder) => {
    const file = readdirSync(folder).find(
      (name) => /^(licen[cs]e|copying)/i.test(name) && existsSync(join(folder, name)),
    );
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const text = file === undefined ? `Licence: ${license}` : readFileSync(join(folder, file), 'utf8').trim();
    return `${name ?? basename(folder)} ${version}\n\n${text}\n`;
  });
  return [...texts, NOTICES].join(`\n${'-'.repeat(80)}\n\n`);
}
