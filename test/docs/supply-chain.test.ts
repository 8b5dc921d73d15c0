/** The packages that are installed with ghostfleet: few, used, with known licences, and without unknown install scripts. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isPermissive, licencesPage, lockedPackages, MOST_PACKAGES } from '../../scripts/licences/packages.js';

const manifest: {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly allowScripts: Readonly<Record<string, boolean>>;
} = JSON.parse(readFileSync('package.json', 'utf8'));
const declared = Object.keys(manifest.dependencies);

/** Packages of which users get only what the bundled program needs: installed, they and their packages are 42 MB. */
const BUNDLED = [
  '@modelcontextprotocol/node',
  '@modelcontextprotocol/server',
  '@opentelemetry/api',
  '@opentelemetry/otlp-transformer',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-metrics',
  '@opentelemetry/sdk-trace',
];

/** The packages that the sources import, except `tsx`: threads load it only when ghostfleet runs from its sources. */
const imported = new Set(
  readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.m?ts$|\.mjs$/.test(file))
    .flatMap((file) => [...readFileSync(join('src', file), 'utf8').matchAll(/(?:from |import\()'([a-z@][^':]*)'/g)])
    .flatMap(([, name = '']) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? [])
    .filter((name) => name !== 'tsx'),
);

describe('the packages of users', () => {
  it('are not more than MOST_PACKAGES', () => {
    expect(lockedPackages('users').length).toBeLessThanOrEqual(MOST_PACKAGES);
  });

  it('are declared if they are imported, unless they are bundled, and imported if they are declared', () => {
    expect(declared.filter((name) => !imported.has(name))).toEqual([]);
    expect([...imported].filter((name) => !declared.includes(name)).sort()).toEqual(BUNDLED);
    expect(BUNDLED.filter((name) => !(name in manifest.devDependencies))).toEqual([]);
  });

  it('have licences that permit any use', () => {
    expect(lockedPackages('users').filter(({ license }) => !isPermissive(license))).toEqual([]);
  });

  it('are listed with their versions and licences on the page of licences', () => {
    const rows = lockedPackages('users').map(
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
