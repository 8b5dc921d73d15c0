/** The packages that are installed with ghostfleet, from the lock file. */
import { readFileSync } from 'node:fs';

export interface InstalledPackage {
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
  readonly devOptional?: boolean;
  readonly hasInstallScript?: boolean;
}

/**
 * Maximum number of packages that are installed with ghostfleet. 57 of them come with graphile-worker, whose command line needs
 * packages that read options and files.
 */
export const MOST_PACKAGES = 215;

const PERMISSIVE =
  /^\(?(?:MIT|ISC|Apache-2\.0|BSD-[23]-Clause|BlueOak-1\.0\.0|0BSD|Python-2\.0|WTFPL| OR | AND |[()])+$/;

/** Whether a licence permits any use. */
export function isPermissive(license: string): boolean {
  return PERMISSIVE.test(license);
}

/** All packages, or only those of users, without the tools for development. Sorted by name and version. */
export function lockedPackages(whose: 'all' | 'users'): readonly InstalledPackage[] {
  const { packages }: { readonly packages: Readonly<Record<string, Locked>> } = JSON.parse(
    readFileSync('package-lock.json', 'utf8'),
  );
  return Object.entries(packages)
    .filter(([path, { dev, devOptional }]) => path !== '' && (whose === 'all' || !(dev || devOptional)))
    .map(([path, { version, license = 'unknown', integrity, hasInstallScript = false }]) => {
      return { name: path.replace(/^.*node_modules\//, ''), version, license, integrity, hasInstallScript };
    })
    .sort((a, b) => (`${a.name} ${a.version}` < `${b.name} ${b.version}` ? -1 : 1));
}

/** The page docs/LICENCES.md. */
export function licencesPage(): string {
  const packages = lockedPackages('users');
  const counts = new Map<string, number>();
  for (const { license } of packages) counts.set(license, (counts.get(license) ?? 0) + 1);
  const shares = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  const rows = packages.map(({ name, version, license }) => `| \`${name}\` | ${version} | ${license} |`);
  return [
    '# Licences of the installed packages',
    '',
    `ghostfleet has the [MIT licence](../LICENSE). \`npm install ghostfleet\` installs ${packages.length} other packages:`,
    '',
    ...shares.map(([license, count]) => `* ${count} × ${license}`),
    '',
    '| package | version | licence |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}
