/** What a scenario refers to outside its own text. */
import type { Profile } from '../../profile/profile.js';
import type { SourceFiles } from '../source/source.js';

/** What a scenario must know of a device type. */
export interface KnownDeviceType {
  /** Its firmware versions, the oldest first: `['3.5.5', '4.0.0']`. */
  readonly versions: readonly string[];
  /**
   * Says why a device would refuse a line such as `app config interval-report 900`; undefined if it would accept it.
   * @param firmware one of `versions`; null for the newest
   */
  refusal(line: string, firmware: string | null): string | undefined;
}

/** The device types of a scenario, by the names of their profiles. */
export type DeviceTypes = ReadonlyMap<string, KnownDeviceType>;

/** What a scenario refers to. */
export interface ScenarioSources extends SourceFiles {
  /** Device types by the names of their profiles. */
  readonly profiles: ReadonlyMap<string, Profile>;
  /** Firmware version of the groups that do not name one; left out: the newest of their device type. */
  readonly firmware?: string;
}

/** No profiles and no files: a scenario is checked by itself. */
export const NO_SOURCES: ScenarioSources = {
  profiles: new Map(),
  readFile: () => {
    throw new Error('there are no files here');
  },
};
