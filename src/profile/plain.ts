/** A profile as data, for other threads and processes: with every firmware version, because functions cannot be sent. */
import type { Profile } from './profile.js';
import { firmwareVersions } from './versions.js';

type Sections = Omit<Profile, 'firmware'>;

/** A profile that the structured clone algorithm can copy. */
export interface PlainProfile {
  readonly profile: Sections;
  /** The same device type in each of its other firmware versions, by version. */
  readonly others: ReadonlyMap<string, Sections>;
}

/** @throws InputError if a version of the profile is invalid */
export function plainProfile(profile: Profile): PlainProfile {
  const versions = profile.firmware.names.map((name) => [name, profile.firmware.with(name)] as const);
  const others = versions.flatMap(([name, other]) =>
    other === undefined || other === profile ? [] : [[name, sectionsOf(other)] as const],
  );
  return { profile: sectionsOf(profile), others: new Map(others) };
}

export function profileFrom({ profile: sections, others }: PlainProfile): Profile {
  const firmware = firmwareVersions(
    sections.identity.fwVersion,
    () => profile,
    new Map([...others].map(([name, other]) => [name, () => ({ ...other, firmware })])),
  );
  const profile: Profile = { ...sections, firmware };
  return profile;
}

function sectionsOf({ firmware: _, ...sections }: Profile): Sections {
  return sections;
}
