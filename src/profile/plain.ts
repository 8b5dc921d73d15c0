/** A profile as data, for other threads and processes: with every firmware version, because functions cannot be sent. */
import type { Profile } from './profile.js';
import { listVersions } from './versions.js';

type Sections = Omit<Profile, 'firmware'>;

/** A profile that the structured clone algorithm can copy. */
export interface PlainProfile {
  readonly profile: Sections;
  /** The same device type in each of its other firmware versions, by version. */
  readonly others: ReadonlyMap<string, Sections>;
}

/** @throws InputError if a version of the profile is invalid */
export function makePlain(profile: Profile): PlainProfile {
  const versions = profile.firmware.names.map((name) => [name, profile.firmware.with(name)] as const);
  const others = versions.flatMap(([name, other]) =>
    other === undefined || other === profile ? [] : [[name, getSections(other)] as const],
  );
  return { profile: getSections(profile), others: new Map(others) };
}

export function restoreProfile({ profile: sections, others }: PlainProfile): Profile {
  const firmware = listVersions(
    sections.identity.fwVersion,
    () => profile,
    new Map([...others].map(([name, other]) => [name, () => ({ ...other, firmware })])),
  );
  const profile: Profile = { ...sections, firmware };
  return profile;
}

function getSections({ firmware: _, ...sections }: Profile): Sections {
  return sections;
}
