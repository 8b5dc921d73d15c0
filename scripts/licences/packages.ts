/** The packages that users get: those that are installed with ghostfleet, and those whose code is in the program. */
import { readFileSync } from 'node:fs';
import { listBundled } from '../support/program.js';

export interface LockedPackage {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly integrity: string | undefined;
  readonly hasInstallScript: boolean;
}

interface Locked {
  readonly version: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
}

/** Maximum number of packages that are installed with ghostfleet. All are better-sqlite3 and what fetches or builds it. */
export const MOST_PACKAGES = 38;

const PERMISSIVE =
  /^\(?(?:MIT|ISC|Apache-2\.0|BSD-[23]-Clause|BlueOak-1\.0\.0|0BSD|Python-2\.0|WTFPL| OR | AND |[()])+$/;

/** Whether a licence permits any use. */
export function isPermissive(license: string): boolean {
  return PERMISSIVE.test(license);
}

/**
 * The packages of the lock file, sorted by name and version: all, those that are installed with ghostfleet, or those of users,
 * which are the installed ones and those whose code is in the program.
 */
export function lockedPackages(whose: 'all' | 'installed' | 'users'): readonly LockedPackage[] {
  const { packages }: { readonly packages: Readonly<Record<string, Locked>> } = JSON.parse(
    readFileSync('package-lock.json', 'utf8'),
  );
  const bundled = new Set(whose === 'users' ? listBundled() : []);
  return Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && (whose === 'all' || bundled.has(path) || !dev))
    .map(([path, { version, license = 'unknown', integrity, hasInstallScript = false }]) => {
      return { name: path.replace(/^.*node_modules\//, ''), version, license, integrity, hasInstallScript };
    })
    .sort((a, b) => (`${a.name} ${a.version}` < `${b.name} ${b.version}` ? -1 : 1));
}

/** The page docs/LICENCES.md. */
export function licencesPage(): string {
  const packages = lockedPackages('installed');
  const counts = new Map<string, number>();
  for (const { license } of packages) counts.set(license, (counts.get(license) ?? 0) + 1);
  const shares = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  const rows = packages.map(({ name, version, license }) => `| \`${name}\` | ${version} | ${license} |`);
  return [
    '# Licences',
    '',
    'ghostfleet has the [MIT licence](../LICENSE). It contains the code of other packages. Their licences are in',
    '`dist/program/LICENCES.txt` and `dist/web/licences.md`.',
    '',
    `\`npm install ghostfleet\` installs ${packages.length} other packages:`,
    '',
    ...shares.map(([license, count]) => `* ${count} × ${license}`),
    '',
    '| package | version | licence |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}
