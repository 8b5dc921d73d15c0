/** What a scenario refers to outside its own text. */
import type { Profile } from '../../profile/profile.js';
import type { SourceFiles } from '../source/source.js';

/** Says why a device of a type would refuse a line such as `app config interval-report 900`; undefined when it would not. */
type RefusalOf = (line: string) => string | undefined;

/** What a scenario must know of the device types, by the names of their profiles. */
export type DeviceTypes = ReadonlyMap<string, RefusalOf>;

/** What a scenario refers to. */
export interface ScenarioSources extends SourceFiles {
  /** Device types by the names of their profiles. */
  readonly profiles: ReadonlyMap<string, Profile>;
}

/** No profiles and no files: a scenario is checked by itself. */
export const NO_SOURCES: ScenarioSources = {
  profiles: new Map(),
  readFile: () => {
    throw new Error('there are no files here');
  },
};
