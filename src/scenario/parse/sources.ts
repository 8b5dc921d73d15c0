/** Sources of a scenario outside its file: profiles and other files. */
import type { LocatedNode } from '../../input/document.js';
import type { Profile } from '../../profile/profile.js';
import type { SourceFiles } from '../source/source.js';
import type { KnownVersion } from '../values/sending.js';

/** The properties of a device type that scenarios are checked against. */
export interface KnownDeviceType {
  /** Its firmware versions, the oldest first: `['3.5.5', '4.0.0']`. */
  readonly versions: readonly string[];
  /** @param firmware one of `versions`; null for the newest */
  version(firmware: string | null): KnownVersion;
}

/** The device types of a scenario, by the names of their profiles. */
export type DeviceTypes = ReadonlyMap<string, KnownDeviceType>;

export interface ScenarioSources extends SourceFiles {
  /** Device types by the names of their profiles. */
  readonly profiles: ReadonlyMap<string, Profile>;
  /** Firmware version of the groups that do not name one; left out for the newest of their device type. */
  readonly firmware?: string | undefined;
  /** Changes the tree of the scenario before it is checked; left out for no change. */
  readonly change?: (root: LocatedNode) => LocatedNode;
}

/** No profiles and no files: references to them are not checked. */
export const NO_SOURCES: ScenarioSources = {
  profiles: new Map(),
  readFile: () => {
    throw new Error('this scenario was read without access to files');
  },
};
