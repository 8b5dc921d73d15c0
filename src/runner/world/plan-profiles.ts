/** Converts the device types of a plan to plain data, so that another thread or process need not read their files. */
import { makePlain, type PlainProfile, restoreProfile } from '../../profile/plain.js';
import type { Profile } from '../../profile/profile.js';
import type { Plan } from '../../scenario/model/plan.js';

/** Device types by their names, as plain data. */
export type PlainProfiles = ReadonlyMap<string, PlainProfile>;

/** The device types that a plan refers to. */
export function packProfiles({ groups, setup = [] }: Plan, profiles: ReadonlyMap<string, Profile>): PlainProfiles {
  const images = setup.flatMap((call) => {
    if (call.setup !== 'firmware') return [];
    const { source } = call.options;
    return source.kind === 'made' ? source.profile : [];
  });
  const names = new Set([...groups.map(({ profile }) => profile), ...images]);
  const found = [...names].map((name) => [name, profiles.get(name)] as const);
  return new Map(found.flatMap(([name, profile]) => (profile ? [[name, makePlain(profile)] as const] : [])));
}

export function unpackProfiles(packed: PlainProfiles): ReadonlyMap<string, Profile> {
  return new Map([...packed].map(([name, plain]) => [name, restoreProfile(plain)]));
}
