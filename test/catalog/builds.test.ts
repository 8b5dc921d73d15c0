/**
 * Every public build of the applications: its identity, its parameters, and the keys that it sends. The facts come from the
 * public sources of the firmware, evaluated with the features of each build (test/fixtures/builds.json).
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { packagedProfiles } from '../../src/profile/library.js';
import type { ParameterSpec } from '../../src/profile/parameters.js';
import { profileOf, written } from './catalog.js';

interface Build {
  readonly profile: string;
  readonly application: string;
  readonly bundle: string;
  readonly name: string;
  /** Each in the form that `described` returns, in the order of `app config show`. */
  readonly parameters: readonly string[];
  /** The keys of each section of a body, separated by spaces. */
  readonly keys: Readonly<Record<string, string>>;
}

const text = readFileSync(new URL('../fixtures/builds.json', import.meta.url), 'utf8');
// The cast is safe because the fixture was made with this shape. The tests check its values.
const { builds } = JSON.parse(text) as { readonly builds: readonly Build[] };

/** Profiles whose firmware has the name of the application instead of the name of the build. */
const NAMED_BY_APPLICATION = new Set(['control', 'serial']);

function described(spec: ParameterSpec): string {
  switch (spec.type) {
    case 'int':
    case 'float':
      return `${spec.name} ${spec.type} ${spec.min}..${spec.max} ${spec.default}`;
    case 'bool':
      return `${spec.name} bool ${spec.default}`;
    case 'enum':
      return `${spec.name} enum ${spec.values.join(',')}`;
    default:
      return `${spec.name} ${spec.type}`;
  }
}

/** The paths of all keys of a build. */
function pathsOf({ keys }: Build): readonly string[] {
  return Object.entries(keys).flatMap(([section, rest]) => [
    section,
    ...rest.split(' ').flatMap((key) => (key === '' ? [] : [`${section}.${key}`])),
  ]);
}

it('there is a profile for every build of CHESTER, and a build for every such profile', () => {
  const chester = [...packagedProfiles()].filter(([, { family }]) => family === 'chester');
  expect(builds).toHaveLength(26);
  expect(builds.map(({ profile }) => profile).sort()).toEqual(chester.map(([name]) => name));
});

describe.each(builds.map((build) => [build.profile, build] as const))('%s', (name, build) => {
  const profile = profileOf(name);

  it('has the bundle of its build, and the name of the build or of the application', () => {
    const { fwBundle, fwName } = profile.identity;
    expect(fwBundle).toBe(build.bundle);
    if (!NAMED_BY_APPLICATION.has(name)) expect(fwName).toBe(build.name);
  });

  it('has the parameters of its build, in the order of the firmware', () => {
    const app = profile.modules.find((module) => module.name === 'app');
    expect(app?.parameters.map(described)).toEqual(build.parameters);
  });

  it('sends the keys of its build, with the codec of its application', () => {
    expect([...written(profile)].sort()).toEqual([...pathsOf(build)].sort());
    expect(profile.decoder.hash).toBe(profileOf(build.application).decoder.hash);
  });

  it('has the same firmware versions as its application', () => {
    expect(profile.firmware.names).toEqual(profileOf(build.application).firmware.names);
    for (const version of profile.firmware.names) expect(profile.firmware.with(version)?.name).toBe(name);
  });
});
