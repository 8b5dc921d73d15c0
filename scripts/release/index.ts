/**
 * `npm run release:check [-- --tag v0.1.0] [--out FOLDER]`: packs the package, installs it in an empty folder, measures the
 * installation, runs a scenario with it, and compiles a strict TypeScript program against its types. CHANGELOG.md must have a
 * section for the version.
 *
 * `--tag` must be the tag of the version in package.json. `--out` keeps what a release consists of: the package that was
 * checked, its notes (notes.md) and its bill of materials (sbom.json).
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { PAGES } from '../pages/pages.js';
import { failuresOf, measureInstallation } from './installation.js';
import { checkTag, notesOf } from './notes.js';

const USER = `
import { defineScenario, type Plan, type RunResult, run } from 'ghostfleet';

const plan: Plan = defineScenario({
  name: 'user',
  duration: '1h',
  fleet: [{ name: 'clime', profile: 'clime', count: 2 }],
  expect: ['uplink.sent > 0'],
});
const result: RunResult = await run(plan);
if (!result.passed) throw new Error('the scenario failed');
// @ts-expect-error a plan is what run takes
void (() => run('user'));
console.log(result.digest);
`;

const SETTINGS = {
  compilerOptions: {
    ...{ target: 'ES2023', module: 'NodeNext', moduleResolution: 'NodeNext', lib: ['ES2023'], types: ['node'] },
    ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: false },
  },
  include: ['user.ts'],
};

const { values: options } = parseArgs({ options: { tag: { type: 'string' }, out: { type: 'string' } } });
const { version }: { readonly version: string } = JSON.parse(readFileSync('package.json', 'utf8'));
if (options.tag !== undefined) checkTag(options.tag, version);
const notes = notesOf(readFileSync('CHANGELOG.md', 'utf8'), version);
console.log(`ghostfleet ${version} on Node.js ${process.versions.node}`);

const folder = mkdtempSync(join(tmpdir(), 'ghostfleet-release-'));

/** Runs a program and returns its output. If the program fails, the error contains its output. */
function step(title: string, program: string, args: readonly string[], cwd = folder): string {
  console.log(`== ${title}`);
  return execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

try {
  step('build', 'npm', ['run', 'build'], '.');
  const [packed] = JSON.parse(step('pack', 'npm', ['pack', '--json', '--pack-destination', folder], '.'));
  const names = packed.files.map(({ path }: { readonly path: string }) => path);
  const missing = Object.keys(PAGES).filter((path) => !names.includes(path));
  if (missing.length > 0) throw new Error(`the package has no ${missing.join(', ')}`);
  console.log(`${packed.filename}: ${packed.entryCount} files, ${Math.round(packed.size / 1024)} KiB`);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'user', private: true, type: 'module' }));
  const tarball = join(folder, packed.filename);
  console.log('== install in an empty folder');
  const installation = measureInstallation(folder, tarball);
  console.log(installation.text);
  const failures = failuresOf(installation);
  if (failures.length > 0) throw new Error(`the installation has ${failures.join(', and ')}`);

  console.log(step('check this machine', 'npx', ['ghostfleet', 'doctor']).trimEnd());
  for (const template of ['ci', 'device', 'vitest']) step(`init ${template}`, 'npx', ['ghostfleet', 'init', template]);
  step('run a device type of an own profile', 'npx', ['ghostfleet', 'run', 'my-device-fleet.yaml']);
  const report = step('run a scenario', 'npx', [
    'ghostfleet',
    'run',
    'fleet.yaml',
    '--clock',
    'virtual',
    '--out',
    'out',
  ]);
  console.log(report.trim().split('\n').at(-1));

  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(SETTINGS));
  writeFileSync(join(folder, 'user.ts'), USER);
  step('install a compiler', 'npm', ['install', '--no-audit', '--no-fund', 'typescript@6', '@types/node@20']);
  step('compile a strict TypeScript program', 'npx', ['tsc', '-p', '.']);
  console.log(step('run the program', process.execPath, ['user.js']).trim());

  if (options.out !== undefined) {
    const out = resolve(options.out);
    mkdirSync(out, { recursive: true });
    copyFileSync(tarball, join(out, packed.filename));
    writeFileSync(join(out, 'notes.md'), notes);
    writeFileSync(join(out, 'sbom.json'), step('bill of materials', 'npm', ['run', '--silent', 'sbom'], '.'));
    console.log(`written to ${options.out}`);
  }
} finally {
  rmSync(folder, { recursive: true });
}
