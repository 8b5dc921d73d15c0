/** What a scenario refers to outside its file: profiles and other files. */
import type { Profile } from '../../profile/profile.js';
import type { SourceFiles } from '../source/source.js';

/** The reason why a device of a type refuses a line such as `app config interval-report 900`; undefined if it accepts it. */
type RefusalOf = (line: string) => string | undefined;

/** Checks of configuration lines, by the names of the profiles. */
export type DeviceTypes = ReadonlyMap<string, RefusalOf>;

/** Profiles and files that a scenario refers to. */
export interface ScenarioSources extends SourceFiles {
  /** Device types by the names of their profiles. */
  readonly profiles: ReadonlyMap<string, Profile>;
}

/** No profiles and no files: references to them are not checked. */
export const NO_SOURCES: ScenarioSources = {
  profiles: new Map(),
  readFile: () => {
    throw new Error('this scenario was read without access to files');
  },
};
