/** The user's files, read for a command. */
import { readFileSync } from 'node:fs';
import { UsageError } from '../kernel/errors.js';
import { packagedProfiles } from '../profile/library.js';
import type { Profile } from '../profile/profile.js';
import { deviceTypes } from '../runner/bench-config.js';
import { parseScenario } from '../scenario/parse.js';
import type { Plan } from '../scenario/plan.js';
import { planScenario } from '../scenario/plan-scenario.js';
import type { Scenario } from '../scenario/scenario.js';

export interface Loaded {
  readonly scenario: Scenario;
  readonly profiles: ReadonlyMap<string, Profile>;
}

/** @throws UsageError that lists everything that is wrong with the file */
export function loadScenario(path: string): Loaded {
  const profiles = packagedProfiles();
  return { scenario: parseScenario(readText(path), path, deviceTypes(profiles)), profiles };
}

/** Reads a scenario and makes its plan. */
export function loadPlan(
  path: string,
  seed: number | undefined,
): { plan: Plan; profiles: ReadonlyMap<string, Profile> } {
  const { scenario, profiles } = loadScenario(path);
  return { plan: planScenario(scenario, seed === undefined ? {} : { seed }), profiles };
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const reason = code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'it is a directory' : `${code}`;
    throw new UsageError('cannot-read', `"${path}" can not be read: ${reason}`);
  }
}

/** A packaged profile. @throws UsageError that names those there are */
export function profileNamed(name: string): Profile {
  const profiles = packagedProfiles();
  const profile = profiles.get(name);
  if (profile) return profile;
  throw new UsageError('unknown-profile', `"${name}" is not a profile; there are ${[...profiles.keys()].join(', ')}`);
}
