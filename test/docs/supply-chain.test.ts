/** The packages of users: few are installed, all are used, with known licences, and without unknown install scripts. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isPermissive, licencesPage, lockedPackages, MOST_PACKAGES } from '../../scripts/licences/packages.js';

const manifest: {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly allowScripts: Readonly<Record<string, boolean>>;
} = JSON.parse(readFileSync('package.json', 'utf8'));
/** The packages that the sources import, except `tsx`: threads load it only when ghostfleet runs from its sources. */
const imported = new Set(
  readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.m?ts$|\.mjs$/.test(file))
    .flatMap((file) => [...readFileSync(join('src', file), 'utf8').matchAll(/(?:from |import\()'([a-z@][^':]*)'/g)])
    .flatMap(([, name = '']) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? [])
    .filter((name) => name !== 'tsx'),
);

describe('the packages of users', () => {
  it('are installed only if they cannot be in the program', () => {
    expect(lockedPackages('installed').length).toBeLessThanOrEqual(MOST_PACKAGES);
    expect(manifest.dependencies).toBeUndefined();
    expect(Object.keys(manifest.optionalDependencies)).toEqual(['better-sqlite3']);
  });

  it('are declared if they are imported', () => {
    const declared = { ...manifest.optionalDependencies, ...manifest.devDependencies };
    expect([...imported].filter((name) => !(name in declared))).toEqual([]);
  });

  it('have licences that permit any use', () => {
    const users = lockedPackages('users');
    expect(users.map(({ name }) => name)).toEqual(expect.arrayContaining(['better-sqlite3', 'fastify', 'zod']));
    expect(users.filter(({ license }) => !isPermissive(license))).toEqual([]);
  });

  it('are listed with their versions and licences on the page of licences if they are installed', () => {
    const rows = lockedPackages('installed').map(
      ({ name, version, license }) => `| \`${name}\` | ${version} | ${license} |`,
    );
    expect(
      licencesPage()
        .split('\n')
        .slice(-rows.length - 1, -1),
    ).toEqual(rows);
  });
});

describe('all packages', () => {
  it('are pinned by a checksum', () => {
    expect(lockedPackages('all').filter(({ integrity }) => integrity === undefined)).toEqual([]);
  });

  it('run an install script only if package.json names them', () => {
    const withScript = lockedPackages('all').filter(({ hasInstallScript }) => hasInstallScript);
    expect(withScript.map(({ name }) => name).filter((name) => !(name in manifest.allowScripts))).toEqual([]);
  });
});
