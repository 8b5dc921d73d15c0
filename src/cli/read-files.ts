/** Reads the user's files for a command. */
import { dirname, join } from 'node:path';
import { readBeside, readText } from '../input/text-file.js';
import { UsageError } from '../kernel/errors.js';
import { packagedProfiles, profilesIn, userFiles } from '../profile/library.js';
import type { Profile } from '../profile/profile.js';
import { readProfile } from '../profile/read.js';
import { deviceTypes } from '../runner/flash-settings.js';
import type { Plan } from '../scenario/model/plan.js';
import type { Scenario } from '../scenario/model/scenario.js';
import { parseScenario } from '../scenario/parse/scenario.js';
import { planScenario } from '../scenario/plan/plan-scenario.js';

export type Profiles = ReadonlyMap<string, Profile>;

/** Values for variables of a scenario, by name. */
type Variables = ReadonlyMap<string, string>;
const NO_VARIABLES: Variables = new Map();

interface Loaded {
  readonly scenario: Scenario;
  readonly profiles: ReadonlyMap<string, Profile>;
}

/** @throws UsageError that lists all problems of the file */
export function loadScenario(path: string, vars: Variables = NO_VARIABLES): Loaded {
  return scenarioIn(readText(path), path, vars);
}

/** Reads a scenario from `text` as the content of the file `path`. */
function scenarioIn(text: string, path: string, vars: Variables, profiles: Profiles = profilesBeside(path)): Loaded {
  return {
    scenario: parseScenario(text, path, deviceTypes(profiles), {
      profiles,
      readFile: (name) => readBeside(dirname(path), name),
      vars,
    }),
    profiles,
  };
}

/** Reads a scenario and makes its plan. */
export function loadPlan(
  path: string,
  seed: number | undefined,
  vars: Variables = NO_VARIABLES,
): { plan: Plan; profiles: ReadonlyMap<string, Profile> } {
  return planOf(readText(path), path, seed, undefined, vars);
}

/**
 * Plans a scenario from `text` as the content of the file `path`.
 * @param known profiles of an earlier call, to avoid reading them again
 */
export function planOf(
  text: string,
  path: string,
  seed?: number,
  known?: Profiles,
  vars: Variables = NO_VARIABLES,
): { plan: Plan; profiles: Profiles } {
  const { scenario, profiles } = scenarioIn(text, path, vars, known);
  return { plan: planScenario(scenario, seed === undefined ? {} : { seed }), profiles };
}

/**
 * The packaged profiles and those in a folder `profiles` next to the scenario, which take precedence.
 * @throws InputError with all problems of the user's profiles
 */
function profilesBeside(scenario: string): ReadonlyMap<string, Profile> {
  return new Map([...packagedProfiles(), ...profilesIn(join(dirname(scenario), 'profiles'))]);
}

/** A packaged profile, or the profile of a file. @throws UsageError that lists the packaged profiles */
export function profileNamed(name: string): Profile {
  if (name.endsWith('.yaml')) return readProfile(readText(name), name, userFiles(name));
  const profiles = packagedProfiles();
  const profile = profiles.get(name);
  if (profile) return profile;
  throw new UsageError('unknown-profile', `unknown profile "${name}"; profiles are ${[...profiles.keys()].join(', ')}`);
}
