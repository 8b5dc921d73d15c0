/** Profiles on their way to a worker. The packaged ones travel as names, because the worker has the same version of the program. */
import { LazyMap } from '../../kernel/lazy-map.js';
import { packagedProfiles } from '../../profile/library.js';
import type { Profile } from '../../profile/profile.js';
import { type ProfileTree, profileIn, treeOf } from '../../profile/read.js';
import type { Plan } from '../../scenario/model/plan.js';

/** Own profiles by their names; undefined for a packaged one. */
export type PortableProfiles = ReadonlyMap<string, ProfileTree | undefined>;

/** The profiles of the devices of a plan. */
export function packProfiles({ groups }: Plan, profiles: ReadonlyMap<string, Profile>): PortableProfiles {
  const packaged = packagedProfiles();
  return new Map(
    groups.map(({ profile: name }) => {
      const profile = profiles.get(name);
      const isOwn = profile !== undefined && profile !== packaged.get(name);
      return [name, isOwn ? treeOf(profile) : undefined];
    }),
  );
}

export function unpackProfiles(packed: PortableProfiles): ReadonlyMap<string, Profile> {
  const packaged = packagedProfiles();
  return new LazyMap([...packed.keys()], (name) => {
    const tree = packed.get(name);
    // Because a name without content is that of a packaged profile.
    return tree === undefined ? (packaged.get(name) as Profile) : profileIn(tree);
  });
}
