/**
 * `npm run sbom [-- --check]`: the bill of materials of the packages that are installed with ghostfleet, and of those whose code
 * is in the program, in CycloneDX. They are selected from the complete output of `npm sbom`.
 *
 * `--check` prints a summary instead. It fails for a missing package, for a package without a permissive licence or without a
 * checksum, for too many packages, and for an install script that package.json does not name.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { isPermissive, lockedPackages, MOST_PACKAGES } from './packages.js';

interface Component {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly licenses?: readonly {
    readonly license?: { readonly id?: string; readonly name?: string };
    readonly expression?: string;
  }[];
  readonly hashes?: readonly unknown[];
}

interface Bill {
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}

const locked = lockedPackages('users');
const nameOf = ({ name, version }: { readonly name: string; readonly version: string }) => `${name}@${version}`;
const expected = new Set(locked.map(nameOf));
const bill = billOfUsers();
if (process.argv.includes('--check')) check(bill.components);
else console.log(JSON.stringify(bill, null, 2));

function billOfUsers(): Bill {
  const args = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx'];
  const { stdout, stderr, status } = spawnSync('npm', args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (status !== 0) throw new Error(`npm sbom failed: ${stderr}`);
  const whole: Bill = JSON.parse(stdout);
  const components = [...new Map(whole.components.map((each) => [nameOf(each), each])).values()].filter((each) =>
    expected.has(nameOf(each)),
  );
  const kept = new Set(components.map((each) => each['bom-ref']));
  const [root] = whole.dependencies;
  const dependencies = whole.dependencies
    .filter(({ ref }) => kept.has(ref) || ref === root?.ref)
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((other) => kept.has(other)) }));
  return { ...whole, components, dependencies };
}

function licenceOf({ licenses = [] }: Component): string {
  const names = licenses.map(({ license, expression }) => license?.id ?? license?.name ?? expression ?? 'unknown');
  return names.join(' AND ');
}

function check(components: readonly Component[]): void {
  const { allowScripts }: { readonly allowScripts: Readonly<Record<string, boolean>> } = JSON.parse(
    readFileSync('package.json', 'utf8'),
  );
  const listed = new Set(components.map(nameOf));
  const installed = lockedPackages('installed').length;
  const withScript = locked.filter(({ hasInstallScript }) => hasInstallScript);
  const wrong = [
    ...[...expected].filter((name) => !listed.has(name)).map((name) => `${name} is missing`),
    ...components
      .filter((each) => !isPermissive(licenceOf(each)))
      .map((each) => `${nameOf(each)} has the licence "${licenceOf(each)}"`),
    ...components.filter(({ hashes = [] }) => hashes.length === 0).map((each) => `${nameOf(each)} has no checksum`),
    ...withScript
      .filter(({ name }) => !(name in allowScripts))
      .map((each) => `${nameOf(each)} has an install script that package.json does not name`),
    ...(installed > MOST_PACKAGES ? [`more than ${MOST_PACKAGES} installed packages`] : []),
  ];
  for (const line of wrong) console.log(line);
  const licences = [...new Set(components.map(licenceOf))].sort().join(', ');
  console.log(`${components.length} packages, of which ${installed} are installed; ${wrong.length} failures`);
  console.log(`licences: ${licences}`);
  console.log(`install scripts: ${withScript.map(({ name }) => name).join(', ') || 'none'}`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
}
