/**
 * The firmware versions of a device type. The file of a profile describes the newest one; its section `versions` has, for each
 * older version, what was different. Maps are merged as with `extends`, and `~` leaves out what that version lacks:
 *
 *     versions:
 *       3.5.5: { transfer_buffer: 16384, timing: { send_timeout: ~, spool: ~ } }
 *
 * A version is compiled when it is first used, because most runs use only one version.
 */
import { text } from '../input/checks.js';
import type { LocatedNode, Place, Problems } from '../input/document.js';
import { merge, removeKey } from './extend.js';
import type { FirmwareVersions, Profile } from './profile.js';

/** Section of a profile that holds the older versions. */
const VERSIONS = 'versions';

/** `3.5.5`, `4.0.0-rc3` */
const VERSION = /^\d+\.\d+\.\d+(-[a-z0-9.]+)?$/;
const checkVersion = text(VERSION, 'a version such as 3.5.5');

interface VersionedNode {
  /** The newest version: the file without its section `versions`. */
  readonly newest: LocatedNode;
  /** The complete profile of each older version, by its name. */
  readonly older: ReadonlyMap<string, LocatedNode>;
}

/** Separates the versions of a profile. Adds problems of the section itself to `problems`. */
export function separateVersions(root: LocatedNode, problems: Problems): VersionedNode {
  const section = root.kind === 'map' ? root.entries.get(VERSIONS)?.value : undefined;
  if (root.kind !== 'map' || section === undefined) return { newest: root, older: new Map() };
  const newest = removeKey(root, VERSIONS);
  if (section.kind !== 'map') {
    const isRemoval = section.kind === 'scalar' && section.value === null;
    const why = isRemoval ? ': no inherited file lists versions, so "~" removes nothing' : '';
    problems.add(section, `versions: a map from a version such as 3.5.5 to what is different in it${why}`);
    return { newest, older: new Map() };
  }
  const older = new Map<string, LocatedNode>();
  for (const [version, { key, value }] of section.entries) {
    if (checkVersion(makeScalar(key, version), problems) === undefined) continue;
    if (value.kind !== 'map')
      problems.add(value, `version ${version}: a map of what is different in it, {} for nothing`);
    else older.set(version, merge(merge(newest, makeIdentity(version, key)), value));
  }
  return { newest, older };
}

/**
 * @param version number of the newest version, with or without a leading `v`
 * @param newest compiles the profile as the file describes it
 * @param older functions that compile the older versions, by version
 */
export function listVersions(
  version: string,
  newest: () => Profile,
  older: ReadonlyMap<string, () => Profile>,
): FirmwareVersions {
  const makers = new Map([...older, [trimVersion(version), newest]]);
  const made = new Map<string, Profile>();
  return {
    names: [...makers.keys()].sort(compareVersions),
    with: (wanted) => {
      const name = trimVersion(wanted);
      const profile = made.get(name) ?? makers.get(name)?.();
      if (profile) made.set(name, profile);
      return profile;
    },
  };
}

/**
 * A device type with one of its firmware versions.
 * @param version null for the newest, which is the profile itself
 * @throws Error for a version that the profile does not describe; callers check versions from users first
 */
export function chooseFirmware(profile: Profile, version: string | null): Profile {
  const found = version === null ? profile : profile.firmware.with(version);
  if (found === undefined) throw new Error(`the profile "${profile.name}" has no firmware version ${version}`);
  return found;
}

/** The name of a version in a profile, without the `v` that devices report before it. */
export function trimVersion(version: string): string {
  return version.replace(/^v(?=\d)/, '');
}

/** Compares number by number, so that 3.10.0 is newer than 3.9.0. */
function compareVersions(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}

/** The version as the device reports it: the key of the section with the prefix `v`. */
function makeIdentity(version: string, place: Place): LocatedNode {
  const identity = mapAt(place, 'fw_version', makeScalar(place, `v${version}`));
  return mapAt(place, 'identity', identity);
}

function mapAt(place: Place, name: string, value: LocatedNode): LocatedNode {
  const { file, line, column } = place;
  return { kind: 'map', file, line, column, entries: new Map([[name, { key: place, value }]]) };
}

function makeScalar({ file, line, column }: Place, value: string): LocatedNode {
  return { kind: 'scalar', file, line, column, value, source: value, textColumn: column };
}
