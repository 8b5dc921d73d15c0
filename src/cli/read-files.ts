/** Reads the user's files for a command. */
import { dirname, join, relative } from 'node:path';
import { type NamedText, readerInside, readInside } from '../input/text-file.js';
import { LazyMap } from '../kernel/lazy-map.js';
import { packagedProfiles, readProfilesIn } from '../profile/library.js';
import type { Profile } from '../profile/profile.js';
import { describeDeviceTypes } from '../runner/known-types.js';
import type { Plan } from '../scenario/model/plan.js';
import { parseScenario } from '../scenario/parse/scenario.js';
import type { ScenarioSources } from '../scenario/parse/sources.js';
import type { Rewrite } from '../scenario/parse/vary.js';
import { planScenario } from '../scenario/plan/plan-scenario.js';

export type Profiles = ReadonlyMap<string, Profile>;

/** Settings of a scenario from the command line; all of them may be left out. */
interface ScenarioSettings {
  /** Replaces the seed of the scenario. */
  readonly seed?: number | undefined;
  /** Values for its variables, by name. */
  readonly vars?: ReadonlyMap<string, string> | undefined;
  /** Firmware version of the groups that do not name one. */
  readonly firmware?: string | undefined;
  /** Files outside the folder of the scenario that it may read. Default: none. */
  readonly allowFiles?: readonly string[] | undefined;
  /**
   * Profiles that an earlier call returned, to save reading them again. Default: the packaged ones and those beside the file.
   */
  readonly profiles?: Profiles | undefined;
  /** The files that the scenario names, as earlier calls have read them: they may have changed since. Default: none. */
  readonly known?: Map<string, NamedText> | undefined;
  /** Changes how the scenario is read. */
  readonly rewrite?: Rewrite | undefined;
}

interface ReadPlan {
  readonly plan: Plan;
  readonly profiles: Profiles;
  /** Names of the variables that have a part of a secret. */
  readonly secretVars: ReadonlySet<string>;
  /** Paths of the files that the scenario names, such as included files and recorded times. */
  readonly files: readonly string[];
}

/**
 * Makes the plan of the scenario in `text`, as if it were the content of the file `path`.
 * @throws UsageError that lists all problems of the scenario
 */
export function readPlan(text: string, path: string, settings: ScenarioSettings): ReadPlan {
  const { seed, vars = NO_VARIABLES, firmware, allowFiles, profiles = readProfiles(path, allowFiles) } = settings;
  const { rewrite = (sources) => sources, known } = settings;
  const files: string[] = [];
  const readFile = readerInside(dirname(path), allowFiles, known);
  const sources: ScenarioSources = {
    profiles,
    readFile: (name) => {
      const read = readFile(name);
      files.push(read.file);
      return read;
    },
    vars,
    firmware,
  };
  const scenario = parseScenario(text, path, describeDeviceTypes(profiles), rewrite(sources));
  const plan = planScenario(scenario, seed === undefined ? {} : { seed });
  return { plan, profiles, secretVars: scenario.secretVars, files };
}

const NO_VARIABLES: ReadonlyMap<string, string> = new Map();

/**
 * The packaged profiles, and those in a folder `profiles` next to the scenario; the latter take precedence. Like other files of
 * a scenario, they must be in its folder or in `allowFiles`, also after symbolic links are resolved.
 * @throws InputError with all problems of the user's profiles
 * @throws UsageError for a profile that is elsewhere, or not a regular file
 */
export function readProfiles(scenario: string, allowFiles: readonly string[] = []): ReadonlyMap<string, Profile> {
  const folder = dirname(scenario);
  const read = (path: string) => readInside(folder, relative(folder, path), allowFiles).text;
  const [packaged, own] = [packagedProfiles(), readProfilesIn(join(folder, 'profiles'), read)];
  return new LazyMap([...packaged.keys(), ...own.keys()], (name) => (own.get(name) ?? packaged.get(name)) as Profile);
}
