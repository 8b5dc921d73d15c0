/**
 * `npm run release:check`: packs the package, installs it in an empty folder, runs a scenario with it, and compiles a strict
 * TypeScript program against its types.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

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

const folder = mkdtempSync(join(tmpdir(), 'ghostfleet-release-'));

/** Runs a program and returns its output. If the program fails, the error contains its output. */
function step(title: string, program: string, args: readonly string[], cwd = folder): string {
  console.log(`== ${title}`);
  return execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

try {
  step('build', 'npm', ['run', 'build'], '.');
  const [packed] = JSON.parse(
    step('pack', 'npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], '.'),
  );
  console.log(`${packed.filename}: ${packed.entryCount} files, ${Math.round(packed.size / 1024)} KiB`);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'user', private: true, type: 'module' }));
  const tarball = join(folder, packed.filename);
  step('install in an empty folder', 'npm', [
    'install',
    '--no-audit',
    '--no-fund',
    tarball,
    'typescript@6',
    '@types/node@20',
  ]);

  const scenario = join(folder, 'node_modules/ghostfleet/scenarios/first-fleet.yaml');
  const report = step('run a scenario', 'npx', ['ghostfleet', 'run', scenario, '--clock', 'virtual', '--out', 'out']);
  console.log(report.trim().split('\n').at(-1));

  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(SETTINGS));
  writeFileSync(join(folder, 'user.ts'), USER);
  step('compile a strict TypeScript program', 'npx', ['tsc', '-p', '.']);
  console.log(step('run the program', process.execPath, ['user.js']).trim());
} finally {
  rmSync(folder, { recursive: true });
}
